import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { keyfold } from '../support/cli.js';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keyfold-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe('help', () => {
  it('is shown when it is asked for', async () => {
    const { status, out, err } = await keyfold({}, '--help');
    expect({ status, err }).toEqual({ status: 0, err: '' });
    for (const word of ['verify', 'migrate', 'events', 'projections', 'KEYFOLD_DATA_DIR', 'Exit status'])
      expect(out).toContain(word);
  });

  it.each([
    ['verify', 'Changes nothing'],
    ['migrate', '--follow'],
    ['projections status', 'Changes nothing'],
    ['projections rebuild', 'ssh_key_rings'],
    ['projections retry-parked', '30 seconds'],
    ['events show', 'sealed'],
  ])('of %s says what it does and changes, and needs no store', async (command, text) => {
    const { status, out } = await keyfold({ KEYFOLD_STORE: 'wrong' }, ...command.split(' '), '--help');
    expect(status).toBe(0);
    expect(out).toContain(text);
  });
});

describe('wrong usage', () => {
  it.each([
    ['no command', '', 'Usage: keyfold'],
    ['an unknown command', 'verfy', 'Did you mean verify?'],
    ['an unknown option', 'verify --deep', "unknown option '--deep'"],
    ['a missing argument', 'events show', "missing required argument 'stream'"],
    ['too many arguments', 'verify all', 'too many arguments'],
    ['half a command', 'projections', 'Usage: keyfold projections'],
  ])('is %s: status 2, and what would be right', async (_, line, text) => {
    const { status, out, err } = await keyfold({}, ...line.split(' ').filter(Boolean));
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain(text);
  });
});

describe('wrong settings end with status 78', () => {
  it.each([
    ['a store that there is not', { KEYFOLD_STORE: 'postgres' }, 'KEYFOLD_STORE: is sqlite or mongodb'],
    ['MongoDB without an address', { KEYFOLD_STORE: 'mongodb' }, 'KEYFOLD_MONGODB_URI: is required'],
    ['an address without a database', { KEYFOLD_MONGODB_URI: 'mongodb://127.0.0.1' }, 'must name a database'],
    ['a folder that is missing', { KEYFOLD_DATA_DIR: '/missing/keyfold' }, 'KEYFOLD_DATA_DIR: there is no folder'],
  ])('when they name %s', async (_, env, text) => {
    const { status, out, err } = await keyfold(env, 'verify');
    expect({ status, out }).toEqual({ status: 78, out: '' });
    expect(err).toContain(text);
  });

  it('when the folder holds no database, and none is made', async () => {
    const folder = temporaryFolder();
    const { status, err } = await keyfold({ KEYFOLD_DATA_DIR: folder }, 'migrate');
    expect(status).toBe(78);
    expect(err).toContain(`there is no database in ${folder}`);
  });
});

it('a MongoDB that is away is told within a bounded time, with status 1', async () => {
  const { status, err } = await keyfold({ KEYFOLD_MONGODB_URI: 'mongodb://127.0.0.1:1/keyfold' }, 'verify');
  expect(status).toBe(1);
  expect(err).toContain('MongoDB is not available');
});

it('a data folder whose socket would have too long a path is refused with a hint', async () => {
  const folder = join(temporaryFolder(), 'x'.repeat(100));
  mkdirSync(folder);
  writeFileSync(join(folder, 'keyfold.db'), '');
  const { status, err } = await keyfold({ KEYFOLD_DATA_DIR: folder }, 'verify');
  expect(status).toBe(1);
  expect(err).toContain('choose a shorter folder with KEYFOLD_DATA_DIR');
});
