import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { writeOpenlistDatabase, type OpenlistUser } from '../../../../../test/support/openlist-database.js';
import { OpenlistDatabase } from './openlist-database.js';
import { UnusableOpenlistDatabase } from './openlist-file.js';

let path: string;
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'keyfold-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  path = join(folder, 'data.db');
});

function read() {
  const database = new OpenlistDatabase(path);
  try {
    return [...database.accounts()];
  } finally {
    database.close();
  }
}

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
    const database = new OpenlistDatabase(path);
    try {
      return database.settings(keys);
    } finally {
      database.close();
    }
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

  it('of 200 kB are refused', () => {
    writeOpenlistDatabase(path, [], { settings: { logo: 'x'.repeat(200_000) } });
    expect(settings('logo')).toEqual([{ key: 'logo', value: undefined }]);
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

  it('has a name of 20 MB', () => {
    writeOpenlistDatabase(path, [{ id: 7, username: 'ann' }]);
    change('UPDATE x_users SET username = zeroblob(20000000) WHERE id = 7');
    refused('a text of more than 8192 bytes in the account "7"');
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

  it('has two accounts of one id', () => {
    writeOpenlistDatabase(path, [{ id: 7, username: 'ann' }]);
    change(`CREATE TABLE copied AS SELECT * FROM x_users; DROP TABLE x_users; ALTER TABLE copied RENAME TO x_users;
      INSERT INTO x_users SELECT * FROM x_users WHERE id = 7`);
    refused('several accounts of the id "7"');
  });

  it('has permissions that are no number of 32 bits', () => {
    writeOpenlistDatabase(path, [{ id: 7, username: 'ann' }]);
    change('UPDATE x_users SET permission = 4294967296 WHERE id = 7');
    refused('the permission "4294967296"');
  });

  it('has roles that OpenList does not write', () => {
    writeOpenlistDatabase(path, [{ id: 7, username: 'ann' }]);
    change(`UPDATE x_users SET role = '[0,3]' WHERE id = 7`);
    refused('the account "7" has the role "[0,3]"');
  });
});
