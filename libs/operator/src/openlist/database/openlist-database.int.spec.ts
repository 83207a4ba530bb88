import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  writeAlistDatabase,
  writeOpenlistDatabase,
  type AlistRole,
  type OpenlistUser,
} from '../../../../../test/support/openlist-database.js';
import { OpenlistDatabase } from './openlist-database.js';
import { UnusableOpenlistDatabase } from './openlist-file.js';
import { isAccount } from './openlist-rows.js';

let path: string;
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'keyfold-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  path = join(folder, 'data.db');
});

function rows() {
  using database = new OpenlistDatabase(path);
  return [...database.rows()];
}

const read = () => rows().filter(isAccount);
const refusedRows = () => rows().filter((row) => !isAccount(row));

/** Changes the file, or creates it, as another program. */
function change(sql: string): void {
  const file = new DatabaseSync(path);
  file.exec(sql);
  file.close();
}

describe('the database of OpenList', () => {
  const keys = [
    { title: 'laptop', line: 'ssh-ed25519 AAAA laptop' },
    { title: 'phone', line: 'ssh-ed25519 BBBB phone', addedTime: '' },
  ];
  const ann: OpenlistUser = {
    id: 7,
    username: 'ann',
    basePath: '/a b',
    disabled: true,
    permission: 256,
    secret: 'PYCIP4HQ7QVN7SND2JXR62LZYL4C3QLW',
    ssoId: 'sub|1',
    passkeys: '[{}]',
    keys,
  };

  it.each(['x_', '', 'my "site"_'])('yields every field of its accounts, whose tables have the prefix %j', (prefix) => {
    writeOpenlistDatabase(path, [ann], { prefix: prefix.replaceAll('"', '""') });
    expect(read().map(({ username }) => username)).toEqual(['admin', 'guest', 'ann']);
    expect(read().at(-1)).toEqual({
      id: 7,
      username: 'ann',
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      salt: 'salt of ann',
      passwordTimestamp: 1_795_356_473,
      secret: 'PYCIP4HQ7QVN7SND2JXR62LZYL4C3QLW',
      basePath: '/a b',
      role: 0,
      permission: 256,
      disabled: true,
      ssoId: 'sub|1',
      allowLdap: true,
      hasPasskeys: true,
      keys: [
        { title: 'laptop', line: 'ssh-ed25519 AAAA laptop', addedAt: Date.UTC(2026, 10, 22, 14, 7, 54, 237) },
        { title: 'phone', line: 'ssh-ed25519 BBBB phone', addedAt: null },
      ],
      keysLeftOut: 0,
      widened: '',
      ofExport: false,
      notes: [],
    });
  });

  it('is read in pages, each with the keys of its accounts', () => {
    const many = Array.from({ length: 1_200 }, (_, index) => {
      const name = `ann ${index}`;
      return { id: 3 + index, username: name, keys: [{ title: name, line: 'key' }] };
    });
    writeOpenlistDatabase(path, many);
    const found = read().slice(2);
    expect(found.map(({ username }) => username)).toEqual(many.map(({ username }) => username));
    expect(found.map((account) => account.keys[0]!.title)).toEqual(many.map(({ username }) => username));
  });

  it('is never written', () => {
    writeOpenlistDatabase(path, [ann]);
    const before = readFileSync(path);
    read();
    expect(readFileSync(path)).toEqual(before);
  });

  it('has texts for everything, as converters write them, and doubts disable an account', () => {
    writeOpenlistDatabase(path, [ann]);
    change(`UPDATE x_users SET username = CAST('ann' AS BLOB), allow_ldap = 'false', disabled = 'yes' WHERE id = 7`);
    expect(read().at(-1)).toMatchObject({ username: 'ann', allowLdap: false, disabled: true });
  });

  it('has no usable hash for an account that OpenList has not converted yet', () => {
    writeOpenlistDatabase(path, [ann]);
    change(`UPDATE x_users SET pwd_hash = '', password = 'plain' WHERE id = 7`);
    expect(read().at(-1)!.hash).toBeUndefined();
  });
});

it('passkeys of 20 MB are noticed', () => {
  writeOpenlistDatabase(path, [{ id: 7, username: 'ann' }]);
  change('UPDATE x_users SET authn = zeroblob(20000000) WHERE id = 7');
  expect(read().at(-1)!.hasPasskeys).toBe(true);
});

describe('the keys of an account', () => {
  const manyKeys = (count: number, line: string) => {
    writeOpenlistDatabase(path, [{ id: 7, username: 'ann', keys: [{ title: 'first', line: 'key' }] }]);
    change(`INSERT INTO x_ssh_public_keys (user_id, title, key_str) WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n
      WHERE i < ${count}) SELECT 7, 'key ' || i, ${line} FROM n`);
    return read().at(-1)!;
  };

  it('are read as far as an account can have them', () => {
    const { keys, keysLeftOut } = manyKeys(50_000, "'key'");
    expect([keys.length, keys[0]!.title, keys.at(-1)!.title, keysLeftOut]).toEqual([
      1_000,
      'first',
      'key 1000',
      49_000,
    ]);
  });

  it('fit into a request', () => {
    const { keys, keysLeftOut } = manyKeys(200, 'hex(zeroblob(8000))');
    expect(keys.length + keysLeftOut).toBe(200);
    expect(JSON.stringify(keys).length).toBeLessThan(1_000_000);
  });

  it('of 20 MB are no keys', () => {
    expect(manyKeys(2, 'zeroblob(20000000)').keys[1]).toMatchObject({ title: 'key 2', line: '' });
  });
});

describe('the settings', () => {
  const settings = (...keys: readonly string[]) => {
    using database = new OpenlistDatabase(path);
    return database.settings(keys);
  };

  it('are those that are asked for', () => {
    writeOpenlistDatabase(path, [], { settings: { site_title: 'Ours', token: 'secret', logo: '' } });
    change(`UPDATE x_setting_items SET value = NULL WHERE key = 'logo'`);
    expect(settings('site_title', 'logo', 'other')).toEqual([
      { key: 'logo', value: '' },
      { key: 'site_title', value: 'Ours' },
    ]);
  });

  it('of a file without them are none', () => {
    writeOpenlistDatabase(path, []);
    change('DROP TABLE x_setting_items');
    expect(settings('site_title')).toEqual([]);
  });

  it.each(['200 kB', '50 MB'])('of %s are left out', (size) => {
    writeOpenlistDatabase(path, [], { settings: { logo: '', site_title: 'Ours' } });
    change(
      `UPDATE x_setting_items SET value = hex(zeroblob(${size === '50 MB' ? 25_000_000 : 100_000})) WHERE key = 'logo'`,
    );
    expect(settings('logo', 'site_title')).toEqual([
      { key: 'logo', value: undefined },
      { key: 'site_title', value: 'Ours' },
    ]);
  });
});

describe('a file that is refused', () => {
  const refused = (what: string) => {
    expect(read).toThrow(UnusableOpenlistDatabase);
    expect(read).toThrow(what);
  };

  it('is missing', () => refused('Name the file data.db of OpenList'));

  it('is a dump of another database', () => {
    writeFileSync(path, '-- MySQL dump 10.13\n'.repeat(100));
    refused('data.db is a dump of MySQL. Name the file');
  });

  it.each([
    ['a dump of PostgreSQL', '--\n-- PostgreSQL database dump\n--\n'],
    ['a dump of PostgreSQL', 'PGDMP\u0001\u000e'],
    ['a dump of MySQL', '/*M!999999\\- enable the sandbox mode */ \n-- MariaDB dump'],
    ['a dump of PostgreSQL', gzipSync('--\n-- PostgreSQL database dump\n--\n'.repeat(5_000))],
    ['a backup of OpenList', '{"encrypted":"false"}'],
    ['empty', ''],
    ['no SQLite database', 'x'],
  ])('is %s: %#', (kind, content) => {
    writeFileSync(path, content);
    refused(`data.db is ${kind}`);
  });

  it('is compressed', () => {
    writeOpenlistDatabase(path, []);
    writeFileSync(path, gzipSync(readFileSync(path)));
    refused('Decompress it first with gunzip');
  });

  it('is a folder or a pipe', () => {
    mkdirSync(path);
    refused('is not a file');
  });

  it('is cut off', () => {
    writeOpenlistDatabase(
      path,
      Array.from({ length: 400 }, (_, index) => ({ id: 3 + index, username: `ann ${index}` })),
    );
    truncateSync(path, 30_000);
    refused('Copy it again while OpenList is stopped');
  });

  it('computes its accounts in a view without end', () => {
    writeOpenlistDatabase(path, []);
    change(`ALTER TABLE x_users RENAME TO old; CREATE VIEW x_users AS WITH RECURSIVE all_ids(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM all_ids)
      SELECT all_ids.id, username, pwd_hash, salt, role FROM all_ids, old`);
    refused('has no accounts of OpenList');
  });

  it('computes a column', () => {
    change(`CREATE TABLE x_users (id integer PRIMARY KEY, username text AS (hex(zeroblob(400000000))), pwd_hash text, salt text, role integer);
      INSERT INTO x_users VALUES (1, 'hash', 'salt', 0)`);
    refused('has no accounts of OpenList');
  });

  it('is another SQLite database', () => {
    change('CREATE TABLE users (id integer, name text)');
    refused('has no accounts of OpenList');
  });

  it('has two sites', () => {
    writeOpenlistDatabase(path, []);
    change('CREATE TABLE y_users AS SELECT * FROM x_users');
    refused('has the accounts of several sites: x_users, y_users');
  });

  it('has a write-ahead log that SQLite cannot open, as on a read-only file system', () => {
    writeOpenlistDatabase(path, []);
    change('PRAGMA journal_mode = WAL');
    mkdirSync(`${path}-wal`);
    refused(`unable to open database file. It has a write-ahead log, so SQLite must be able to write ${path}-shm`);
  });

  it('is of AList before 3.24, and names what an upgrade needs', () => {
    change(`CREATE TABLE x_users (id integer PRIMARY KEY, username text, password text, base_path text, role integer, permission integer);
      INSERT INTO x_users VALUES (1, 'admin', 'plain', '/', 2, 0)`);
    refused('is of AList before 3.24: x_users has no password hashes. Start OpenList on a copy');
  });
});

describe('a row that is no account', () => {
  const ann: OpenlistUser = { id: 7, username: 'ann' };

  it.each([
    ['the permission', 'permission = 4294967296', { cause: 'permission "4294967296"' }],
    ['the time of the password', `pwd_ts = 'long ago'`, { cause: 'pwd_ts "long ago"' }],
    ['a role of OpenList', 'role = 3', { cause: 'role "3"' }],
    ['roles without a table of roles', `role = '[0,3]'`, { cause: 'role "[0,3]": the file has no table x_roles' }],
    ['a name of 20 MB', 'username = zeroblob(20000000)', { cause: 'a text of more than 8192 bytes' }],
    ['a base path of 9 kB', 'base_path = hex(zeroblob(4500))', { cause: 'a text of more than 8192 bytes' }],
    ['no name', `username = ''`, { reason: 'username-empty' }],
    ['null for a name', 'username = NULL', { reason: 'username-empty' }],
    ['a second admin', 'role = 2', { reason: 'admin-or-guest-uncreatable' }],
    ['a second guest', 'role = 1', { reason: 'admin-or-guest-uncreatable' }],
  ])('has %s, and the others are read', (_, assignment, problem) => {
    writeOpenlistDatabase(path, [ann, { id: 8, username: 'bea' }]);
    change(`UPDATE x_users SET ${assignment} WHERE id = 7`);
    expect(refusedRows()).toMatchObject([{ id: 7, problems: [{ reason: 'row-unreadable', ...problem }] }]);
    expect(read().map(({ username }) => username)).toEqual(['admin', 'guest', 'bea']);
  });

  it('has the id or the name of another', () => {
    writeOpenlistDatabase(path, [
      ann,
      { id: 8, username: 'bea' },
      { id: 9, username: 'cid' },
      { id: 10, username: 'dan' },
    ]);
    change(`CREATE TABLE copied AS SELECT * FROM x_users; DROP TABLE x_users; ALTER TABLE copied RENAME TO x_users;
      UPDATE x_users SET id = 8 WHERE id = 7; UPDATE x_users SET id = 'nine' WHERE id = 9;
      INSERT INTO x_users SELECT * FROM x_users WHERE id = 10; UPDATE x_users SET id = 11 WHERE rowid = 7`);
    expect(refusedRows()).toEqual([
      { id: 8, username: 'ann', problems: [{ reason: 'row-unreadable', cause: 'another account has the id' }] },
      { id: 8, username: 'bea', problems: [{ reason: 'row-unreadable', cause: 'another account has the id' }] },
      { id: null, username: 'cid', problems: [{ reason: 'row-unreadable', cause: 'the id is no integer' }] },
      { id: 11, username: 'dan', problems: [{ reason: 'username-taken' }] },
    ]);
    expect(read().map(({ id }) => id)).toEqual([1, 2, 10]);
  });
});

describe('a file that lacks tables or columns', () => {
  it('names each, with what is not taken', () => {
    writeOpenlistDatabase(path, []);
    change(`DROP TABLE x_ssh_public_keys; ALTER TABLE x_setting_items DROP COLUMN value; ALTER TABLE x_users DROP COLUMN otp_secret;
      ALTER TABLE x_users DROP COLUMN disabled`);
    using database = new OpenlistDatabase(path);
    expect(database.gaps).toEqual([
      `${path} has no table x_ssh_public_keys: SSH keys are not imported`,
      `${path} has no value in x_setting_items: settings are not imported`,
      `${path} has no otp_secret in x_users: second factors are not imported`,
      `${path} has no disabled in x_users: no account is disabled`,
    ]);
  });
});

describe('a database of AList', () => {
  const roles: readonly AlistRole[] = [
    { name: 'readers', rights: { '/': 0 } },
    { name: 'editors', rights: { '/team': 4_095 } },
    { name: 'split', rights: { '/a': 7, '/b': 511 } },
    { name: 'bits', rights: { '/': 115_471 } },
  ];
  const one = (user: Partial<OpenlistUser>) => {
    writeAlistDatabase(path, roles, [{ id: 7, username: 'ann', ...user }]);
    return read().at(-1)!;
  };
  const differing = 'roles differ by folder: only rights valid in every folder are kept';

  it('has a guest and an admin, whatever their ids', () => {
    writeAlistDatabase(path, roles, []);
    expect(read()).toMatchObject([
      { id: 1, username: 'guest', role: 1, permission: 0, notes: [] },
      {
        id: 2,
        username: 'admin',
        role: 2,
        permission: 0x3fff,
        notes: ['permission bits 14 to 16 of AList are ignored'],
      },
    ]);
  });

  it.each([
    ['its role', '[3]', '/', { permission: 0, notes: [] }],
    ['a role for the base path', '[4]', '/team', { permission: 4_095, notes: [] }],
    [
      'a role for a folder above the base path',
      '[4]',
      '/team/x',
      { permission: 4_095, basePath: '/team/x', notes: [] },
    ],
    ['all roles for the base path', '[3,4]', '/team', { permission: 4_095, notes: [] }],
    ['the narrowest of several', '[3,4]', '/', { permission: 0, basePath: '/', notes: [differing] }],
    ['the rights of its folder only', '[5]', '/a', { permission: 7, notes: [differing] }],
    [
      'the bits that OpenList has too',
      '[6]',
      '/',
      { permission: 0x30f, notes: ['permission bits 14 to 16 of AList are ignored'] },
    ],
    [
      'no name of a folder that begins like it',
      '[4]',
      '/teams',
      { permission: 0, basePath: '/teams', widened: 'nothing before, now all of /teams' },
    ],
    [
      'the only folder of its roles',
      '[4]',
      '/',
      { permission: 4_095, basePath: '/team', notes: ['only /team of /, as its roles allow'] },
    ],
    [
      'nothing for all folders',
      '[5]',
      '/',
      { permission: 0, widened: '/a, /b before, now all of /', notes: [differing] },
    ],
    [
      'no rights without a role',
      '[]',
      '/team',
      { permission: 0, widened: 'nothing before, now all of /team', notes: [] },
    ],
    ['the rights of a person if the guest is another account', '[1,4]', '/team', { permission: 4_095 }],
  ])('gives an account %s', (_, role, basePath, expected) => {
    expect(one({ role, basePath, permission: 65_535 })).toMatchObject({ role: 0, widened: '', ...expected });
  });

  it('has accounts from before its roles, with the bits that OpenList has too', () => {
    expect(one({ role: 0, permission: 0xffff })).toMatchObject({ role: 0, permission: 0x3fff });
  });

  it('knows its roles by their names', () => {
    writeAlistDatabase(path, roles, []);
    change(
      `UPDATE x_roles SET id = id + 10; UPDATE x_roles SET id = 1 WHERE name = 'admin'; UPDATE x_roles SET id = 2 WHERE name = 'guest'`,
    );
    expect(read()).toMatchObject([
      { id: 1, role: 2 },
      { id: 2, role: 1 },
    ]);
  });

  it.each([
    ['no table has', '[3,99]', 'SELECT 1'],
    ['has rights that are no list', '[3]', `UPDATE x_roles SET raw_permission = '{}' WHERE id = 3`],
    ['is no number', '["admin"]', 'SELECT 1'],
  ])('refuses an account whose role %s', (_, role, sql) => {
    writeAlistDatabase(path, roles, [{ id: 7, username: 'ann', role }]);
    change(sql);
    expect(refusedRows()).toMatchObject([{ id: 7, problems: [{ reason: 'row-unreadable' }] }]);
  });
});
