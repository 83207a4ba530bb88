// Writes the bill of materials of a release: the npm packages of production, Node, and the Debian packages of the image.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export const root = join(import.meta.dirname, '../..');
export const sha256 = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');
export const read = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** The platform of a processor, in npm's names. */
export const platformOf = (cpu) => ({ os: 'linux', cpu, libc: 'glibc' });

/** The folder of the npm package with the Node of this checkout. */
export const nodePackage = dirname(
  createRequire(join(root, 'node_modules/node/package.json')).resolve(`node-linux-${process.arch}/package.json`),
);

/**
 * Returns the packages that a release for this platform contains, including those in the bundles. `platform` has `os`, `cpu` and `libc` as npm
 * names them. Leaves out optional peers that only development installs.
 */
export function productionPackages(platform) {
  const packages = Object.entries(read(join(root, 'package-lock.json')).packages);
  const isShipped = ([path, { dev, devOptional, ...entry }]) =>
    path && !dev && !devOptional && Object.keys(platform).every((key) => entry[key]?.includes(platform[key]) ?? true);
  return packages.filter(isShipped).map(([path, { name, version, license, optional = false }]) => {
    // The lock file names only packages that are installed under an alias.
    return { path, id: `${name ?? path.split('node_modules/').at(-1)}@${version}`, license, optional };
  });
}

/**
 * Returns a CycloneDX document as text. The same input gives the same bytes with the same npm.
 * @param {object} input
 * @param {{ os: string, cpu: string, libc: string }} input.platform
 * @param {string} input.node the folder of the npm package with Node's binary for the platform
 * @param {Date} input.date the time of the release
 * @param {string} [input.go] the version of Go whose libraries keyfold-ssh contains
 * @param {string} [input.debian] the output of `dpkg-query -W -f '${Package}\t${Version}\t${Architecture}\n'` in the image
 */
export function sbomOf({ platform, node, date, go, debian = '' }) {
  const { name, version } = read(join(root, 'package.json'));
  const shipped = new Set(productionPackages(platform).map(({ id }) => id));
  // With development, because `npm sbom --omit dev` also drops packages that both production and development need (npm 11.19).
  const words = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only', '--include=dev'];
  const bom = JSON.parse(execFileSync('npm', words, { cwd: root, encoding: 'utf8', maxBuffer: 64 << 20 }));
  const runtime = nodeComponent(node);
  const dependencies = bom.dependencies
    .filter(({ ref }) => ref === `${name}@${version}` || shipped.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((id) => shipped.has(id)) }));
  dependencies.find(({ ref }) => ref === `${name}@${version}`).dependsOn.push(runtime['bom-ref']);
  const content = {
    ...bom,
    serialNumber: '',
    metadata: {
      ...bom.metadata,
      timestamp: date.toISOString(),
      lifecycles: [{ phase: 'build' }],
      // npm names the folder. The npm registry may have an unrelated package of this name.
      component: { ...bom.metadata.component, name, purl: `pkg:generic/${name}@${version}` },
    },
    components: [
      // npm names an aliased package by its alias.
      ...bom.components
        .filter((component) => shipped.has(component['bom-ref']))
        .map((component) => ({ ...component, name: component['bom-ref'].replace(/@[^@]*$/, '') })),
      runtime,
      ...(go ? [goComponent(go)] : []),
      ...debianComponents(debian),
    ],
    dependencies: [...dependencies, { ref: runtime['bom-ref'], dependsOn: [] }],
  };
  return `${JSON.stringify({ ...content, serialNumber: serialNumberOf(content) }, null, 2)}\n`;
}

function nodeComponent(folder) {
  const { version, license } = read(join(folder, 'package.json'));
  const content = sha256(join(folder, 'bin/node'));
  const purl = `pkg:generic/node@${version}`;
  return {
    'bom-ref': purl,
    type: 'platform',
    name: 'node',
    version,
    // Vulnerability scanners recognize Node by this name.
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    purl,
    hashes: [{ alg: 'SHA-256', content }],
    licenses: [{ license: { id: license } }],
  };
}

/** Go's standard library, under the name that vulnerability scanners know. */
function goComponent(version) {
  const purl = `pkg:golang/stdlib@${version}`;
  return {
    'bom-ref': purl,
    type: 'library',
    name: 'stdlib',
    version,
    purl,
    licenses: [{ license: { id: 'BSD-3-Clause' } }],
  };
}

function debianComponents(list) {
  if (!list) return [];
  // Scanners select the vulnerability database by the release of Debian, which is the major version of base-files.
  const [, release] = /^base-files\t(\d+)/m.exec(list);
  const packages = list.trim().split('\n');
  return [
    { 'bom-ref': `debian-${release}`, type: 'operating-system', name: 'debian', version: release },
    ...packages.map((line) => {
      const [name, version, arch] = line.split('\t');
      const [path, tag] = [name, version].map((part) => encodeURIComponent(part).replaceAll('%3A', ':'));
      const purl = `pkg:deb/debian/${path}@${tag}?arch=${arch}&distro=debian-${release}`;
      return { 'bom-ref': purl, type: 'library', name, version, purl };
    }),
  ];
}

/** Returns a UUID of version 8 that depends on the content only. */
function serialNumberOf(content) {
  const hex = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return `urn:uuid:${parts.join('-')}`;
}
