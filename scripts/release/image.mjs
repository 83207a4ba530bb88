// The image, as an archive for `docker load`.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pack } from './archive.mjs';
import { nodePackage, platformOf, root, sbomOf } from './sbom.mjs';
import { description, license, name, version } from './stage.mjs';

const tag = `${name}:${version}`;
const title = `${name}-${version}-linux-${process.arch}.image`;
const docker = (...words) =>
  execFileSync('docker', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 2] });

/**
 * Builds the image for this machine's processor, and writes it and its bill of materials into a folder. The same sources, date and base
 * images give the same bytes. Returns the path of the archive.
 * @param revision the commit that it is built from
 */
export function writeImage(target, date, revision) {
  const labels = { title: name, description, licenses: license, version, revision, created: date.toISOString() };
  const labelWords = Object.entries(labels).map(([key, value]) => `--label=org.opencontainers.image.${key}=${value}`);
  // A cached layer may have the times of another build.
  const reproducible = ['--no-cache', `--build-arg=SOURCE_DATE_EPOCH=${date.getTime() / 1_000}`, '--provenance=false'];
  docker('buildx', 'build', '--load', '--file=deploy/Dockerfile', `--tag=${tag}`, ...labelWords, ...reproducible, '.');
  const temporary = mkdtempSync(join(target, 'staging-'));
  try {
    const sbom = sbomOf({ platform: platformOf(process.arch), node: copyNode(temporary), date, debian: packages() });
    writeFileSync(join(target, `${title}.cdx.json`), sbom);
    return writeLayers(join(temporary, 'image'), join(target, `${title}.tar.gz`), date);
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

/** Packs the layers again, because Docker adds the time of the moment. */
function writeLayers(folder, file, date) {
  mkdirSync(folder);
  docker('save', '--output', `${folder}.tar`, tag);
  execFileSync('tar', ['--extract', `--file=${folder}.tar`, `--directory=${folder}`]);
  return pack(folder, file, date);
}

/** Copies Node out of the image, because it is not the one of npm. Returns a folder like that of npm's package. */
function copyNode(folder) {
  const container = docker('create', tag).trim();
  try {
    mkdirSync(join(folder, 'node/bin'), { recursive: true });
    docker('cp', `${container}:/usr/local/bin/node`, join(folder, 'node/bin'));
  } finally {
    docker('rm', container);
  }
  cpSync(join(nodePackage, 'package.json'), join(folder, 'node/package.json'));
  return join(folder, 'node');
}

/** Lists the Debian packages of the image. */
function packages() {
  const list = ['--show', '--showformat=${Package}\\t${Version}\\t${Architecture}\\n'];
  return docker('run', '--rm', '--entrypoint=dpkg-query', tag, ...list);
}
