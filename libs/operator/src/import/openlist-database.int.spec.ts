import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { writeOpenlistDatabase, type OpenlistUser } from '../../../../test/support/openlist-database.js';
import { OpenlistDatabase, UnusableOpenlistDatabase } from './openlist-database.js';

let path: string;
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'keyfold-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  path = join(folder, 'data.db');
});

function read() {
  const database = new OpenlistDatabase(path);
  try {
    return [...database.accounts()].flat();
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
    writeOpenlistDatabase(path, [ann], prefix.replaceAll('"', '""'));
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

describe('a file that is refused', () => {
  const refused = (what: string) => {
    expect(read).toThrow(UnusableOpenlistDatabase);
    expect(read).toThrow(what);
  };

  it('is missing', () => refused('Name the file data.db of OpenList'));

  it('is a dump of another database', () => {
    writeFileSync(path, '-- MySQL dump 10.13\n'.repeat(100));
    refused('If OpenList uses MySQL or PostgreSQL, first convert its database');
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
