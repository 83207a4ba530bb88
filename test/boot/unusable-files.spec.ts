import { allCommands, brokerCommands, type Fields } from '@keyfold/operator/commands';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import pLimit from 'p-limit';
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
const settings = join(parent, 'settings.json');
const backup = join(parent, 'backup');

/** The words of the commands that need more than a name, or ask. */
const words: Readonly<Record<string, readonly string[]>> = {
  backup: [join(parent, 'new')],
  'account delete': ['admin', '--yes'],
  'account erase': ['99', '--yes'],
  'account history': ['admin'],
  'account show': ['admin'],
  'account update': ['admin', '--sso-id', 'new'],
  'import openlist': [openlist],
  'export openlist': [join(parent, 'exported.db')],
  'feed replay': ['--from', '2026-01-01', '--dry-run'],
  'openlist adopt': ['admin', '--yes'],
  'settings reset': ['site_title'],
  'settings set': ['site_title', 'new'],
  'settings import': [settings],
  'store copy': ['mongodb'],
};
const needsName = (fields: Fields) =>
  Object.values(fields).some((field) => 'words' in field && field.words.some(([syntax]) => syntax.startsWith('<')));

/** Every command but those on RabbitMQ, which open no store, and `restore`, which refuses a folder with files, whatever is in them. */
const all = Object.entries(allCommands)
  .filter(([name, { help }]) => help !== undefined && name !== 'restore' && !(name in brokerCommands))
  .map(([name, { fields }]) => [name, ...(words[name] ?? (needsName(fields) ? ['admin'] : []))] as const);
/** One command for each way in which the program opens a store. */
const ways = ['verify', 'backup', 'import openlist', 'export openlist', 'settings export', 'store copy'];
/** Files that fail at the first and at the last step of opening a store, with which all commands run. The others run with one for each way. */
const withAll = ['keyfold.db that is no database', 'views.db that is ahead of keyfold.db'];
/** Nothing listens there. */
const others = {
  KEYFOLD_STORE: 'sqlite',
  KEYFOLD_MONGODB_URI: 'mongodb://127.0.0.1:9/keyfold?replicaSet=rs0',
  KEYFOLD_OPENLIST_URL: 'http://127.0.0.1:9',
  KEYFOLD_OPENLIST_TOKEN: 'token-of-openlist',
};

beforeAll(async () => {
  const app = await StandaloneProcess.start();
  await app.stop();
  cpSync(app.dataDir, data, { recursive: true });
  await app.dispose();
  writeOpenlistDatabase(openlist, []);
  writeFileSync(settings, '[]');
  expect(await keyfold({ KEYFOLD_DATA_DIR: data }, 'backup', backup)).toMatchObject({ status: 0 });
});
afterAll(() => rmSync(parent, { recursive: true }));

describe.each(unusableFiles)('a %s', (title, spoil, problem) => {
  const env = { KEYFOLD_DATA_DIR: join(parent, 'spoilt') };
  beforeAll(() => {
    cpSync(data, env.KEYFOLD_DATA_DIR, { recursive: true });
    spoil(env.KEYFOLD_DATA_DIR);
  });
  afterAll(() => rmSync(env.KEYFOLD_DATA_DIR, { recursive: true }));

  it('ends the commands with the reason', async () => {
    const commands = all
      .filter(([name]) => withAll.includes(title) || ways.includes(name))
      // It reads only keyfold.db.
      .filter(([name]) => name !== 'store copy' || title.startsWith('keyfold.db'));
    const results = await pLimit(availableParallelism()).map(commands, async ([name, ...args]) => {
      const { status, err } = await keyfold({ ...others, ...env }, ...name.split(' '), ...args);
      return [name, status, err];
    });
    expect(results).toEqual(commands.map(([name]) => [name, 1, expect.stringMatching(problem)]));
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
