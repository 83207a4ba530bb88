import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { securityEventNames } from '@keyfold/application';

const PROJECT = resolve(import.meta.dirname, '../..');

it('every row of the outages names existing tests', () => {
  const guide = readFileSync(resolve(PROJECT, 'docs/run/alerts.md'), 'utf8');
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
  const guide = readFileSync(resolve(PROJECT, 'docs/run/monitor.md'), 'utf8');
  const [, section = ''] = guide.split('## Security events');
  const rows = section.split('\n## ')[0]!.match(/^\| `[a-z_]+.*$/gm) ?? [];
  const named = rows.flatMap((row) => [...row.split('|')[1]!.matchAll(/`([a-z_]+)/g)].map(([, name]) => name));
  expect(new Set(named)).toEqual(new Set(securityEventNames));
});
