import { expect, it } from 'vitest';
import { HOSTILE } from '../../../testing/command-cases.js';
import { columnsOf } from '../../output/printable.js';
import { LINE_COLUMNS } from '../../output/table.js';
import type { ImportResult } from './import-accounts.js';
import { ImportReport, type ReportedAccount } from './import-report.js';

const ann: ImportResult = {
  id: 7,
  username: 'ann',
  outcome: 'taken',
  accountId: 9,
  problems: [{ reason: 'ssh-key-invalid', key: 'old laptop', cause: 'weak' }],
  notes: ['passkeys are not taken'],
  needsPassword: true,
  keys: 2,
};

async function linesOf(...results: readonly ReportedAccount[]): Promise<string[]> {
  const lines: string[] = [];
  const write = async (line: string) => void lines.push(line);
  const report = new ImportReport({ out: write, err: write }, false);
  for (const result of results) {
    report.count(result);
    await report.write(result);
  }
  await report.finish('Took');
  return lines;
}

it('a report shows each account with its details, the meaning of each problem and the counts', async () => {
  const unchanged: ImportResult = {
    ...ann,
    id: 8,
    accountId: 8,
    outcome: 'unchanged',
    problems: [],
    notes: [],
    keys: 0,
  };
  const nothing = { ...unchanged, accountId: 7 };
  const rows: ReportedAccount[] = [
    ann,
    unchanged,
    { ...nothing, username: 'bea', outcome: 'changed on both sides' },
    { ...nothing, username: 'cid', outcome: 'no longer in the file' },
    {
      ...nothing,
      id: null,
      accountId: null,
      username: 'dan',
      outcome: 'refused',
      problems: [{ reason: 'row-unreadable', cause: 'the id is no integer' }],
    },
  ];
  expect(await linesOf(...rows)).toEqual([
    '       id  username                                        outcome',
    '        7  ann                                             taken',
    '           here with the id 9',
    '           2 SSH keys',
    '           ssh-key-invalid (weak): old laptop',
    '           passkeys are not taken',
    '        8  bea                                             changed on both sides',
    '           here with the id 7',
    '        8  cid                                             no longer in the file',
    '           here with the id 7',
    '           dan                                             refused',
    '           row-unreadable (the id is no integer)',
    'problem          count  meaning',
    'ssh-key-invalid      1  not accepted here: its owner needs another key',
    'row-unreadable       1  OpenList does not write this: mend it in the file',
    'Took 1 account with 2 new SSH keys; 1 unchanged, 0 changed here, 1 changed on both sides, 1 refused',
    '1 account of earlier imports is no longer in the file',
  ]);
});

it('a report shows the settings that differ with both values, and hides secrets', async () => {
  const lines: string[] = [];
  const write = async (line: string) => void lines.push(line);
  const report = new ImportReport({ out: write, err: write }, false);
  const title = { setting: 'site_title', outcome: 'taken', here: 'Here', there: 'There', problems: [] } as const;
  const problems = [{ reason: 'privacy-patterns-invalid' }] as const;
  for (const result of [
    title,
    { ...title, setting: 'logo', outcome: 'unchanged' } as const,
    { ...title, setting: 'token', outcome: 'refused', here: null, there: null, problems } as const,
  ]) {
    report.countSetting(result);
    await report.writeSetting(result);
  }
  await report.finish('Would take');
  expect(lines.filter((line) => !line.startsWith('problem') && !line.startsWith('privacy'))).toEqual([
    'setting site_title',
    '  outcome  taken',
    '  here     Here',
    '  there    There',
    'setting token',
    '  outcome  refused, privacy-patterns-invalid',
    '  here     (secret)',
    '  there    (secret)',
    'Would take 1 setting',
    'Would take no accounts; 0 unchanged, 0 changed here, 0 refused',
  ]);
});

it('a file is of another site if more of its accounts are of others than are known', () => {
  const report = new ImportReport({ out: async () => {}, err: async () => {} }, false);
  report.count({ ...ann, outcome: 'refused', problems: [{ reason: 'other-site' }] });
  expect(report.isOtherSite).toBe(true);
  report.count(ann);
  expect(report.isOtherSite).toBe(true);
  report.count({ ...ann, needsPassword: false, outcome: 'no longer in the file' });
  expect(report.isOtherSite).toBe(true);
  report.count({ ...ann, needsPassword: false });
  expect(report.isOtherSite).toBe(false);
});

it('a report fits a terminal and shows no control characters, whatever names and titles contain', async () => {
  const hostile = HOSTILE.map((text) => ({ ...ann, username: text, problems: [{ ...ann.problems[0]!, key: text }] }));
  for (const line of await linesOf(...hostile)) {
    expect(columnsOf(line), line).toBeLessThanOrEqual(LINE_COLUMNS);
    expect(line).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
  }
});
