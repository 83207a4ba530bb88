// The image, as an archive for `docker load`.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sbomOf } from './sbom.mjs';
import { description, license, name, nodePackage, platformOf, releaseFolder, root, version } from './stage.mjs';

const tag = `${name}:${version}`;
const title = `${name}-${version}-linux-${process.arch}.image`;
const docker = (...words) =>
  execFileSync('docker', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 2] });

/**
 * Builds the image for this machine's processor, and writes it and its bill of materials. The same sources, date and base images give the
 * same bytes. Returns the path of the archive.
 * @param revision the commit that it is built from
 */
export function writeImage(date, revision) {
  mkdirSync(releaseFolder, { recursive: true });
  const labels = { title: name, description, licenses: license, version, revision, created: date.toISOString() };
  const labelWords = Object.entries(labels).map(([key, value]) => `--label=org.opencontainers.image.${key}=${value}`);
  const reproducible = [`--build-arg=SOURCE_DATE_EPOCH=${date.getTime() / 1_000}`, '--provenance=false'];
  docker('buildx', 'build', '--load', '--file=deploy/Dockerfile', `--tag=${tag}`, ...labelWords, ...reproducible, '.');
  const file = join(releaseFolder, `${title}.tar`);
  docker('save', '--output', file, tag);
  chmodSync(file, 0o644);
  execFileSync('gzip', ['--no-name', '--force', file]);
  writeSbom(date);
  return `${file}.gz`;
}

/** Node comes from the official image, not from npm. */
function writeSbom(date) {
  const node = mkdtempSync(join(releaseFolder, 'node-'));
  const container = docker('create', tag).trim();
  try {
    mkdirSync(join(node, 'bin'));
    docker('cp', `${container}:/usr/local/bin/node`, join(node, 'bin'));
    cpSync(join(nodePackage, 'package.json'), join(node, 'package.json'));
    const list = ['--show', '--showformat=${Package}\\t${Version}\\t${Architecture}\\n'];
    const debian = docker('run', '--rm', '--entrypoint=dpkg-query', tag, ...list);
    const sbom = sbomOf({ platform: platformOf(process.arch), node, date, debian });
    writeFileSync(join(releaseFolder, `${title}.cdx.json`), sbom);
  } finally {
    docker('rm', container);
    rmSync(node, { recursive: true });
  }
}
