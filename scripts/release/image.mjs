// The image, as an archive for `docker load`.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pack } from './archive.mjs';
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
  const temporary = mkdtempSync(join(releaseFolder, 'staging-'));
  try {
    writeSbom(join(temporary, 'node'), date);
    return writeLayers(join(temporary, 'image'), date);
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

/** Packs the layers again, because Docker adds the time of the moment. */
function writeLayers(folder, date) {
  mkdirSync(folder);
  docker('save', '--output', `${folder}.tar`, tag);
  execFileSync('tar', ['--extract', `--file=${folder}.tar`, `--directory=${folder}`]);
  return pack(folder, `${title}.tar.gz`, date);
}

/** Node comes from the official image, not from npm. */
function writeSbom(node, date) {
  const container = docker('create', tag).trim();
  try {
    mkdirSync(join(node, 'bin'), { recursive: true });
    docker('cp', `${container}:/usr/local/bin/node`, join(node, 'bin'));
  } finally {
    docker('rm', container);
  }
  cpSync(join(nodePackage, 'package.json'), join(node, 'package.json'));
  const list = ['--show', '--showformat=${Package}\\t${Version}\\t${Architecture}\\n'];
  const debian = docker('run', '--rm', '--entrypoint=dpkg-query', tag, ...list);
  const sbom = sbomOf({ platform: platformOf(process.arch), node, date, debian });
  writeFileSync(join(releaseFolder, `${title}.cdx.json`), sbom);
}
