import { parseSealingKeys } from '@keyfold/security';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  generatedSealingKey,
  generatedTokenSecret,
  prepareDataFolder,
  protectDataFiles,
  closeDataFolder,
} from './data-folder.js';
import { openSqlite } from './sqlite-store.module.js';
import { InvalidConfiguration } from '@keyfold/process';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keyfold-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}
const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('the data folder', () => {
  it('is created with its parents, for its owner alone', () => {
    const folder = join(temporaryFolder(), 'deep', 'data');
    prepareDataFolder(folder);
    expect(modeOf(folder)).toBe(0o700);
  });

  it('is asked for under another name where nobody can write', () => {
    expect(() => prepareDataFolder('/proc/keyfold/data')).toThrow(
      new InvalidConfiguration([
        "KEYFOLD_DATA_DIR: cannot write to /proc/keyfold/data: ENOENT: no such file or directory, mkdir '/proc/keyfold'. Name a folder that this user can write to",
      ]),
    );
  });

  it('is closed to other users if it exists already, empty or with a database', () => {
    const folder = join(temporaryFolder(), 'data');
    mkdirSync(folder, { mode: 0o755 });
    prepareDataFolder(folder);
    expect(modeOf(folder)).toBe(0o700);
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, 'keyfold.db'), '');
    writeFileSync(join(folder, 'notes'), 'kept');
    prepareDataFolder(folder);
    expect(modeOf(folder)).toBe(0o700);
  });

  it('is closed to other users by a command that opens it', async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o777);
    writeFileSync(join(folder, 'keyfold.db'), '');
    const { close } = await openSqlite(folder);
    onTestFinished(() => close());
    expect(modeOf(folder)).toBe(0o700);
  });

  it('is refused and not changed if it contains other files', () => {
    const folder = join(temporaryFolder(), 'data');
    mkdirSync(folder, { mode: 0o755 });
    writeFileSync(join(folder, 'file'), 'kept');
    expect(() => prepareDataFolder(folder)).toThrow('for this service alone');
    expect(modeOf(folder)).toBe(0o755);
  });

  it.each([
    'keyfold.db',
    'keyfold.db-wal',
    'views.db',
    'lock',
    'token-secret',
    'token-secret.new',
    'sealing-key',
    'operator.sock',
  ])('is refused if %s is a symbolic link, which leads nowhere or to another file', (name) => {
    const folder = temporaryFolder();
    const target = join(temporaryFolder(), 'target');
    symlinkSync(target, join(folder, name));
    for (const check of [prepareDataFolder, closeDataFolder])
      expect(() => check(folder)).toThrow(
        `${join(folder, name)} is not a ${name === 'operator.sock' ? 'socket' : 'regular file'}`,
      );
    writeFileSync(target, 'x');
    for (const check of [prepareDataFolder, closeDataFolder]) expect(() => check(folder)).toThrow(InvalidConfiguration);
  });

  it('can have the folder that a file system creates', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'lost+found'));
    chmodSync(folder, 0o755);
    prepareDataFolder(folder);
    expect(modeOf(folder)).toBe(0o700);
  });

  it('cannot be a file', () => {
    const path = join(temporaryFolder(), 'data');
    writeFileSync(path, '');
    expect(() => prepareDataFolder(path)).toThrow('EEXIST');
  });
});

it('the files of the data folder are closed to other users, and no others', () => {
  const folder = temporaryFolder();
  const own = ['keyfold.db', 'keyfold.db-wal', 'keyfold.db-shm', 'views.db', 'lock', 'token-secret', 'sealing-key'];
  for (const name of [...own, 'notes']) {
    writeFileSync(join(folder, name), '');
    chmodSync(join(folder, name), 0o644);
  }
  mkdirSync(join(folder, 'lost+found'), { mode: 0o755 });
  protectDataFiles(folder);
  expect(own.map((name) => modeOf(join(folder, name)))).toEqual(own.map(() => 0o600));
  expect([modeOf(join(folder, 'notes')), modeOf(join(folder, 'lost+found'))]).toEqual([0o644, 0o755]);
});

describe.each([
  ['token-secret', generatedTokenSecret],
  ['sealing-key', generatedSealingKey],
])('the generated %s', (name, secretOf) => {
  it('is generated once, for its owner alone, without leftover files', () => {
    const folder = temporaryFolder();
    const secret = secretOf(folder);
    expect(secretOf(folder)).toBe(secret);
    expect(readdirSync(folder)).toEqual([name]);
    expect(modeOf(join(folder, name))).toBe(0o600);
  });

  it('differs in every folder', () => {
    expect(secretOf(temporaryFolder())).not.toBe(secretOf(temporaryFolder()));
  });

  it('is not replaced if its file is empty', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, name), '\n');
    expect(() => secretOf(folder)).toThrow(InvalidConfiguration);
    expect(() => secretOf(folder)).toThrow(join(folder, name));
  });

  it('is refused if it can be guessed', () => {
    const folder = temporaryFolder();
    const weak = name === 'token-secret' ? 'x'.repeat(48) : `k1:${Buffer.alloc(32).toString('base64')}`;
    writeFileSync(join(folder, name), weak);
    expect(() => secretOf(folder)).toThrow(/repeats itself and can be guessed/);
  });

  it('replaces a partial file of a killed startup', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, `${name}.new`), 'half a sec', { mode: 0o666 });
    expect(secretOf(folder).length).toBeGreaterThanOrEqual(32);
    expect(readdirSync(folder)).toEqual([name]);
    expect(modeOf(join(folder, name))).toBe(0o600);
  });

  it('is never written through a symbolic link', () => {
    const folder = temporaryFolder();
    const target = join(temporaryFolder(), 'target');
    symlinkSync(target, join(folder, `${name}.new`));
    secretOf(folder);
    expect(existsSync(target)).toBe(false);
    expect(lstatSync(join(folder, name)).isFile()).toBe(true);
  });
});

it('the generated secrets have at least 256 bits', () => {
  const folder = temporaryFolder();
  expect(Buffer.from(generatedTokenSecret(folder), 'base64url').length).toBeGreaterThanOrEqual(32);
  expect(parseSealingKeys(generatedSealingKey(folder))).toMatchObject([{ id: 'k1' }]);
});

describe('the generated sealing-key', () => {
  it('is never generated for an existing database', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'keyfold.db'), '');
    expect(() => generatedSealingKey(folder)).toThrow('Restore it from a backup');
    expect(readdirSync(folder)).toEqual(['keyfold.db']);
  });
});
