import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { problemsOfSbom } from '../support/checkers/cyclonedx.js';
import { componentsOf, contents, noticesOf, PROJECT, sbomOf } from '../support/release-contents.js';

const DEBIAN =
  'base-files\t12.4+deb12u12\tamd64\nlibstdc++6\t12.2.0-14+deb12u1\tamd64\npasswd\t1:4.13+dfsg1-1\tamd64\n';
const sbom = sbomOf({ ...contents, debian: DEBIAN });

it('the bill of materials is a CycloneDX document', async () => {
  expect(await problemsOfSbom(JSON.parse(sbom) as object)).toEqual([]);
  expect(await problemsOfSbom({ ...JSON.parse(sbom), serialNumber: 'urn:uuid:1' })).toEqual([
    expect.stringContaining('/serialNumber must match pattern'),
  ]);
});

it('the same release gives the same bytes', () => {
  expect(sbomOf({ ...contents, debian: DEBIAN })).toBe(sbom);
  expect(noticesOf(contents)).toBe(noticesOf(contents));
});

it('an image also has the packages of its Debian, for scanners', () => {
  const debian = componentsOf(sbom).slice(componentsOf(sbomOf(contents)).length);
  expect(debian.map(({ type, purl, version }) => purl ?? `${type} ${version}`)).toEqual([
    'operating-system 12',
    'pkg:deb/debian/base-files@12.4%2Bdeb12u12?arch=amd64&distro=debian-12',
    'pkg:deb/debian/libstdc%2B%2B6@12.2.0-14%2Bdeb12u1?arch=amd64&distro=debian-12',
    'pkg:deb/debian/passwd@1:4.13%2Bdfsg1-1?arch=amd64&distro=debian-12',
  ]);
});

it('the bill of materials has every package that a bundle contains', () => {
  const names = new Set(componentsOf(sbom).map(({ name }) => name));
  const maps = globSync('dist/apps/**/*.map', { cwd: PROJECT }).map((file) =>
    readFileSync(join(PROJECT, file), 'utf8'),
  );
  const bundled = maps.flatMap((map) => (JSON.parse(map) as { sources: readonly string[] }).sources.flatMap(packageOf));
  expect(bundled).toContain('fastify');
  expect(bundled.filter((name) => !names.has(name))).toEqual([]);
});

/** Returns the package of a source file; nothing for Keyfold's own files. */
function packageOf(source: string): string[] {
  const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source) ?? [];
  return name ? [name] : [];
}
