import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyfold, runCommand } from '../support/cli.js';
import { withFileSize } from '../support/file-size-limit.js';
import { builtCommand } from '../support/keyfold-process.js';
import { writeOpenlistDatabase } from '../support/openlist-database.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { unusableFiles } from '../support/unusable-files.js';

const parent = mkdtempSync(join(tmpdir(), 'keyfold-'));
const data = join(parent, 'data');
const openlist = join(parent, 'data.db');
const backup = join(parent, 'backup');

/** One command for each way in which the program opens a store. */
const commands: readonly (readonly [name: string, ...values: string[]])[] = [
  ['verify'],
  ['backup', join(parent, 'new')],
  ['import openlist', openlist],
  ['export openlist', join(parent, 'exported.db')],
  ['settings export'],
];

beforeAll(async () => {
  const app = await StandaloneProcess.start();
  await app.stop();
  cpSync(app.dataDir, data, { recursive: true });
  await app.dispose();
  writeOpenlistDatabase(openlist, []);
  expect(await keyfold({ KEYFOLD_DATA_DIR: data }, 'backup', backup)).toMatchObject({ status: 0 });
});
afterAll(() => rmSync(parent, { recursive: true }));

describe.each(unusableFiles)('a %s', (_, spoil, problem) => {
  const folder = join(parent, 'spoilt');
  beforeAll(() => {
    cpSync(data, folder, { recursive: true });
    spoil(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(commands)('ends "%s" with the reason', async (name, ...values) => {
    const { status, err } = await keyfold({ KEYFOLD_DATA_DIR: folder }, ...name.split(' '), ...values);
    expect([status, err]).toEqual([1, expect.stringMatching(problem)]);
  });
});

it.each([20_000, 70_000, 120_000])('a restore ends on a disk that is full after %d bytes of a file', async (bytes) => {
  const env = { KEYFOLD_DATA_DIR: join(parent, `full-${bytes}`) };
  const { status, err } = await runCommand(withFileSize(bytes, [...builtCommand('cli'), 'restore', backup]), env);
  expect([status, err]).toEqual([
    1,
    expect.stringMatching(/cannot \w+ .*\.db.*: (?:disk I\/O error|database or disk is full)/),
  ]);
});
