// The image, as an archive for `docker load`.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { releaseFolder } from './archive.mjs';
import { description, license, name, root, version } from './stage.mjs';

const docker = (...words) =>
  execFileSync('docker', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 2] });

/**
 * Builds the image and writes it as `keyfold:<version>`. The same sources, date (in unix seconds) and base images give the same bytes.
 * @param revision the commit that it is built from
 */
export function writeImage(date, revision) {
  const tag = `${name}:${version}`;
  const created = new Date(date * 1_000).toISOString();
  const labels = { title: name, description, licenses: license, version, revision, created };
  const words = Object.entries(labels).map(([key, value]) => `--label=org.opencontainers.image.${key}=${value}`);
  const reproducible = [`--build-arg=SOURCE_DATE_EPOCH=${date}`, '--provenance=false'];
  docker('buildx', 'build', '--load', '--file=deploy/Dockerfile', `--tag=${tag}`, ...words, ...reproducible, '.');
  const file = join(releaseFolder, `${name}-${version}-linux-${process.arch}.image.tar`);
  docker('save', '--output', file, tag);
  execFileSync('gzip', ['--no-name', '--force', file]);
  return `${file}.gz`;
}

/** Returns the Debian packages of the image, one in a line: name, version and architecture. */
export const debianPackages = () =>
  docker(
    'run',
    '--rm',
    '--entrypoint=dpkg-query',
    `${name}:${version}`,
    '--show',
    '--showformat=${Package}\\t${Version}\\t${Architecture}\\n',
  );
