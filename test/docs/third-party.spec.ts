import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { componentsOf, contents, noticesOf, PROJECT, sbomOf } from '../support/release-contents.js';

const components = componentsOf(sbomOf(contents));
const node = `node@${process.versions.node}`;
const ids = components.map(({ name, version, 'bom-ref': id }) => (name === 'node' ? `${name}@${version}` : id));
const sorted = (names: Iterable<string>) => [...new Set(names)].toSorted((a, b) => a.localeCompare(b));

/** Permissive licences, which ask for no more than their text. */
const ALLOWED = ['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'Python-2.0'];

it('the bill of materials has the packages of production and Node, each once', () => {
  const words = ['ls', '--omit=dev', '--all', '--parseable', '--long'];
  const [, ...lines] = execFileSync('npm', words, { cwd: PROJECT, encoding: 'utf8' }).trim().split('\n');
  const installed = lines
    // The install script of Node leaves a package that no other needs.
    .filter((line) => !line.endsWith(':EXTRANEOUS'))
    // The package after an alias, or the name after the path.
    .map((line) => line.split(/@npm:|:/).at(-1) ?? '')
    // An optional peer of @nestjs/swagger, which only development installs.
    .filter((id) => !id.startsWith('typescript@'));
  expect(installed.length).toBeGreaterThan(200);
  expect(sorted(ids)).toEqual(sorted([...installed, node]));
  expect(ids).toHaveLength(new Set(ids).size);
});

it('every package has a permissive licence', () => {
  const others = components.filter(({ licenses }) => !ALLOWED.includes(licenses?.[0]?.license.id ?? ''));
  expect(others).toEqual([]);
});

it('the notices have the licence of every package and of Node', () => {
  const [, ...sections] = noticesOf(contents).split(`${'='.repeat(80)}\n`);
  const covered = sections.flatMap((section) => {
    const [titles = '', text = ''] = section.split(`\n${'-'.repeat(80)}\n`);
    expect(text).toMatch(/copyright|permission|license/i);
    return titles.split('\n').map((title) => title.replace(/ \(.*\)$/, ''));
  });
  expect(covered.at(-1)).toBe(node);
  expect(sorted(covered)).toEqual(sorted(ids));
});
