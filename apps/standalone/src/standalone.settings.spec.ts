import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { InvalidConfiguration } from '@keyfold/process';
import { readStandaloneSettings } from './standalone.settings.js';

const SEALING_KEY = 'k1:7kHPEHiVD09lj+mji2UbxB+xfb2M1UIaBy9QtoSh5NM=';
const TOKEN_SECRET = 'a secret of at least 32 characters';

/** The problems of an environment; none when it is fine. */
function problemsOf(environment: Record<string, string | undefined>): readonly string[] {
  try {
    readStandaloneSettings(environment);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidConfiguration);
    return (error as InvalidConfiguration).problems;
  }
}

/** A file with this content; it is gone when the running test is over. */
function fileWith(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'keyfold-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'setting'), content);
  return join(folder, 'setting');
}

describe('the configuration', () => {
  it('needs nothing', () => {
    expect(readStandaloneSettings({})).toMatchObject({
      KEYFOLD_HOST: '0.0.0.0',
      KEYFOLD_PORT: 5244,
      KEYFOLD_STORE: 'sqlite',
      KEYFOLD_DATA_DIR: resolve('data'),
      KEYFOLD_TOKEN_HOURS: 48,
      KEYFOLD_TRUSTED_PROXIES: [],
      KEYFOLD_RELEASED_NAME_DAYS: 30,
      KEYFOLD_SYSTEM_NAMES: expect.arrayContaining(['root', 'admin', 'www-data']),
      KEYFOLD_LOG_LEVEL: 'info',
      KEYFOLD_MANAGEMENT_HOST: '127.0.0.1',
      KEYFOLD_MANAGEMENT_PORT: 9464,
      KEYFOLD_LEASE_SECONDS: 10,
      KEYFOLD_SESSION_DAYS: 90,
    });
    for (const secret of ['KEYFOLD_ADMIN_PASSWORD', 'KEYFOLD_TOKEN_SECRET', 'KEYFOLD_SEALING_KEY'])
      expect(readStandaloneSettings({})).not.toHaveProperty(secret);
  });

  it('is read from the environment', () => {
    const environment = {
      KEYFOLD_HOST: '127.0.0.1',
      KEYFOLD_PORT: '8080',
      KEYFOLD_STORE: 'sqlite',
      KEYFOLD_DATA_DIR: '/var/lib/keyfold',
      KEYFOLD_ADMIN_PASSWORD: ' kept as it is ',
      KEYFOLD_TOKEN_SECRET: TOKEN_SECRET,
      KEYFOLD_SEALING_KEY: SEALING_KEY,
      KEYFOLD_TOKEN_HOURS: '0.5',
      KEYFOLD_TRUSTED_PROXIES: ' 10.0.0.0/8, 192.0.2.7 ,, 2001:db8::/32',
      KEYFOLD_RELEASED_NAME_DAYS: '0',
      KEYFOLD_SYSTEM_NAMES: ' root, sshd ,,',
      KEYFOLD_LOG_LEVEL: 'warn',
    };
    expect(readStandaloneSettings(environment)).toMatchObject({
      ...environment,
      KEYFOLD_PORT: 8080,
      KEYFOLD_TOKEN_HOURS: 0.5,
      KEYFOLD_TRUSTED_PROXIES: ['10.0.0.0/8', '192.0.2.7', '2001:db8::/32'],
      KEYFOLD_RELEASED_NAME_DAYS: 0,
      KEYFOLD_SYSTEM_NAMES: ['root', 'sshd'],
    });
  });

  it('takes an empty variable for one that is not set', () => {
    const names = ['KEYFOLD_PORT', 'KEYFOLD_ADMIN_PASSWORD', 'KEYFOLD_SEALING_KEY', 'KEYFOLD_PORT_FILE'];
    expect(readStandaloneSettings(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(
      readStandaloneSettings({}),
    );
  });

  it('leaves variables alone that it does not know', () => {
    expect(problemsOf({ PATH: '/bin', KEYFOLD_FUTURE: 'x', KEYFOLD_FUTURE_FILE: '/missing' })).toEqual([]);
  });
});

describe('the store', () => {
  const onMongo = {
    KEYFOLD_STORE: 'mongodb',
    KEYFOLD_MONGODB_URI: 'mongodb://localhost/keyfold',
    KEYFOLD_TOKEN_SECRET: TOKEN_SECRET,
    KEYFOLD_SEALING_KEY: SEALING_KEY,
  };

  it('mongodb needs an address and secrets, and has no data folder', () => {
    expect(problemsOf({ KEYFOLD_STORE: 'mongodb', KEYFOLD_PORT: 'http' }).map((text) => text.split(':')[0])).toEqual([
      'KEYFOLD_PORT',
      'KEYFOLD_MONGODB_URI',
      'KEYFOLD_TOKEN_SECRET',
      'KEYFOLD_SEALING_KEY',
    ]);
    const settings = readStandaloneSettings(onMongo);
    expect(settings).toMatchObject(onMongo);
    expect(settings).not.toHaveProperty('KEYFOLD_DATA_DIR');
  });

  it('must be said where an address of MongoDB is set, beside everything else that is wrong', () => {
    const told = 'KEYFOLD_STORE: set it to mongodb or sqlite, because KEYFOLD_MONGODB_URI is set';
    for (const name of ['KEYFOLD_MONGODB_URI', 'KEYFOLD_MONGODB_URI_FILE'])
      expect(problemsOf({ [name]: 'x', KEYFOLD_STORE: '', KEYFOLD_PORT: 'http' })).toEqual([
        told,
        'KEYFOLD_PORT: needs a port number from 0 to 65535',
      ]);
    expect(problemsOf({ KEYFOLD_MONGODB_URI: 'x', KEYFOLD_STORE: 'sqlite' })).toEqual([]);
  });

  it('may come from a file like every other setting', () => {
    const { KEYFOLD_STORE: _, ...others } = onMongo;
    expect(readStandaloneSettings({ ...others, KEYFOLD_STORE_FILE: fileWith('mongodb\n') })).toMatchObject(onMongo);
  });
});

describe('a setting that is wrong', () => {
  it.each([
    ['KEYFOLD_PORT', 'http'],
    ['KEYFOLD_PORT', '65536'],
    ['KEYFOLD_PORT', '-1'],
    ['KEYFOLD_PORT', '80.5'],
    ['KEYFOLD_STORE', 'postgres'],
    ['KEYFOLD_MANAGEMENT_PORT', '65536'],
    ['KEYFOLD_LEASE_SECONDS', '0'],
    ['KEYFOLD_SESSION_DAYS', '0'],
    ['KEYFOLD_TOKEN_SECRET', 'x'.repeat(31)],
    ['KEYFOLD_SEALING_KEY', 'no key'],
    ['KEYFOLD_SEALING_KEY', `${SEALING_KEY},${SEALING_KEY}`],
    ['KEYFOLD_TOKEN_HOURS', '0'],
    ['KEYFOLD_TOKEN_HOURS', '-1'],
    ['KEYFOLD_RELEASED_NAME_DAYS', '-1'],
    ['KEYFOLD_RELEASED_NAME_DAYS', '36501'],
    ['KEYFOLD_TRUSTED_PROXIES', '10.0.0.0/8,proxy'],
    ['KEYFOLD_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['KEYFOLD_LOG_LEVEL', 'loud'],
  ])('%s=%s is one problem, which names the setting', (name, value) => {
    const problems = problemsOf({ [name]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${name}: \\S`));
  });

  it('is told with every other one at once', () => {
    const environment = {
      KEYFOLD_PORT: 'http',
      KEYFOLD_LOG_LEVEL: 'loud',
      KEYFOLD_TRUSTED_PROXIES: 'one,two',
      KEYFOLD_TOKEN_SECRET: 'short',
      KEYFOLD_TOKEN_SECRET_FILE: '/some/file',
      KEYFOLD_HOST_FILE: '/missing/file',
    };
    const problems = problemsOf(environment);
    expect(problems.map((problem) => problem.split(/[: ]/)[0]!).toSorted((a, b) => a.localeCompare(b))).toEqual([
      'KEYFOLD_HOST_FILE',
      'KEYFOLD_LOG_LEVEL',
      'KEYFOLD_PORT',
      'KEYFOLD_TOKEN_SECRET',
      'KEYFOLD_TRUSTED_PROXIES',
      'KEYFOLD_TRUSTED_PROXIES',
    ]);
    const { message } = new InvalidConfiguration(problems);
    for (const problem of problems) expect(message).toContain(`\n- ${problem}`);
  });

  it('is told without the secret itself', () => {
    const secrets = { KEYFOLD_TOKEN_SECRET: 'much-too-short', KEYFOLD_SEALING_KEY: 'k1:not-32-bytes' };
    const text = problemsOf(secrets).join('\n');
    expect(text).toContain('KEYFOLD_SEALING_KEY');
    for (const secret of ['much-too-short', 'not-32-bytes']) expect(text).not.toContain(secret);
  });
});

describe('a setting in a file', () => {
  it.each([
    ['secret', 'secret'],
    ['secret\n', 'secret'],
    ['secret\r\n', 'secret'],
    ['secret\n\n', 'secret\n'],
    [' secret ', ' secret '],
  ])('with the content %j is %j: only the last newline goes', (content, value) => {
    const config = readStandaloneSettings({ KEYFOLD_ADMIN_PASSWORD_FILE: fileWith(content) });
    expect(config.KEYFOLD_ADMIN_PASSWORD).toBe(value);
  });

  it('works for every setting', () => {
    const environment = {
      KEYFOLD_PORT_FILE: fileWith('8080\n'),
      KEYFOLD_SEALING_KEY_FILE: fileWith(`${SEALING_KEY}\n`),
    };
    expect(readStandaloneSettings(environment)).toMatchObject({ KEYFOLD_PORT: 8080, KEYFOLD_SEALING_KEY: SEALING_KEY });
  });

  it('cannot be given together with the setting itself, but together with an empty one', () => {
    const KEYFOLD_PORT_FILE = fileWith('8080');
    expect(problemsOf({ KEYFOLD_PORT: '8080', KEYFOLD_PORT_FILE })).toEqual([
      'KEYFOLD_PORT and KEYFOLD_PORT_FILE are both set: keep one of them',
    ]);
    expect(readStandaloneSettings({ KEYFOLD_PORT: '', KEYFOLD_PORT_FILE }).KEYFOLD_PORT).toBe(8080);
  });

  it('must be readable and must not be empty: a secret that is missing is never replaced in silence', () => {
    const empty = fileWith('\n');
    expect(problemsOf({ KEYFOLD_TOKEN_SECRET_FILE: '/missing/file' })).toEqual([
      'KEYFOLD_TOKEN_SECRET_FILE: cannot read /missing/file: ENOENT',
    ]);
    expect(problemsOf({ KEYFOLD_TOKEN_SECRET_FILE: empty })).toEqual([`KEYFOLD_TOKEN_SECRET_FILE: ${empty} is empty`]);
  });

  it('is checked as the setting itself is', () => {
    expect(problemsOf({ KEYFOLD_PORT_FILE: fileWith('http') })).toEqual([expect.stringMatching(/^KEYFOLD_PORT: /)]);
  });
});

describe("the admin's first password", () => {
  const OPENLIST_ADMIN_PASSWORD = 'from the original';

  it('is also taken from the name that the original has for it', () => {
    expect(readStandaloneSettings({ OPENLIST_ADMIN_PASSWORD }).KEYFOLD_ADMIN_PASSWORD).toBe(OPENLIST_ADMIN_PASSWORD);
    expect(readStandaloneSettings({ OPENLIST_ADMIN_PASSWORD, KEYFOLD_ADMIN_PASSWORD: '' }).KEYFOLD_ADMIN_PASSWORD).toBe(
      OPENLIST_ADMIN_PASSWORD,
    );
  });

  it('is taken from our own name first', () => {
    const config = readStandaloneSettings({ OPENLIST_ADMIN_PASSWORD, KEYFOLD_ADMIN_PASSWORD: 'own' });
    expect(config.KEYFOLD_ADMIN_PASSWORD).toBe('own');
  });

  it.each(['KEYFOLD_ADMIN_PASSWORD', 'OPENLIST_ADMIN_PASSWORD'])(
    'may come from the file that %s_FILE names',
    (name) => {
      const config = readStandaloneSettings({ [`${name}_FILE`]: fileWith('from a file\n') });
      expect(config.KEYFOLD_ADMIN_PASSWORD).toBe('from a file');
    },
  );

  it.each([
    ['OPENLIST_ADMIN_PASSWORD', 'OPENLIST_ADMIN_PASSWORD_FILE'],
    ['KEYFOLD_ADMIN_PASSWORD', 'OPENLIST_ADMIN_PASSWORD_FILE'],
    ['OPENLIST_ADMIN_PASSWORD', 'KEYFOLD_ADMIN_PASSWORD_FILE'],
  ])('cannot be given by %s and by %s', (name, fileSetting) => {
    expect(problemsOf({ [name]: 'secret', [fileSetting]: fileWith('secret') })).toEqual([
      `${name} and ${fileSetting} are both set: keep one of them`,
    ]);
  });
});
