import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { InvalidConfiguration } from '@keyfold/process';
import { readStandaloneSettings } from './standalone.settings.js';

const SEALING_KEY = 'k1:7kHPEHiVD09lj+mji2UbxB+xfb2M1UIaBy9QtoSh5NM=';
const TOKEN_SECRET = 'a secret of at least 32 characters';

/** Returns the problems of an environment. */
function problemsOf(environment: Record<string, string | undefined>): readonly string[] {
  try {
    readStandaloneSettings(environment);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidConfiguration);
    return (error as InvalidConfiguration).problems;
  }
}

/** Returns a file with this content, which the end of the test deletes. */
function fileWith(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'keyfold-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'setting'), content);
  return join(folder, 'setting');
}

describe('the configuration', () => {
  it('is read from the environment', () => {
    const environment = {
      KEYFOLD_HOST: '127.0.0.1',
      KEYFOLD_DATA_DIR: '/var/lib/keyfold',
      KEYFOLD_ADMIN_PASSWORD: ' kept as it is ',
      KEYFOLD_TOKEN_SECRET: TOKEN_SECRET,
      KEYFOLD_SEALING_KEY: SEALING_KEY,
      KEYFOLD_LOG_LEVEL: 'warn',
    };
    const parsed = {
      KEYFOLD_PORT: '8080',
      KEYFOLD_TOKEN_HOURS: '0.5',
      KEYFOLD_TRUSTED_PROXIES: ' 10.0.0.0/8, 192.0.2.7 ,, 2001:db8::/32',
      KEYFOLD_RELEASED_NAME_DAYS: '0',
    };
    expect(readStandaloneSettings({ ...environment, ...parsed })).toMatchObject({
      ...environment,
      KEYFOLD_PORT: 8080,
      KEYFOLD_TOKEN_HOURS: 0.5,
      KEYFOLD_TRUSTED_PROXIES: ['10.0.0.0/8', '192.0.2.7', '2001:db8::/32'],
      KEYFOLD_RELEASED_NAME_DAYS: 0,
    });
  });

  it('has defaults instead of missing and empty variables, but no secret', () => {
    const names = ['KEYFOLD_PORT', 'KEYFOLD_ADMIN_PASSWORD', 'KEYFOLD_SEALING_KEY', 'KEYFOLD_PORT_FILE'];
    const defaults = readStandaloneSettings({});
    expect(defaults).toMatchObject({ KEYFOLD_STORE: 'sqlite', KEYFOLD_MANAGEMENT_HOST: '127.0.0.1' });
    expect(readStandaloneSettings(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(defaults);
    for (const secret of ['KEYFOLD_ADMIN_PASSWORD', 'KEYFOLD_TOKEN_SECRET', 'KEYFOLD_SEALING_KEY'])
      expect(defaults).not.toHaveProperty(secret);
  });

  it('ignores unknown variables', () => {
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

  it('mongodb requires a connection string and secrets, and has no data folder', () => {
    expect(problemsOf({ KEYFOLD_STORE: 'mongodb', KEYFOLD_PORT: 'http' }).map((text) => text.split(':')[0])).toEqual([
      'KEYFOLD_PORT',
      'KEYFOLD_MONGODB_URI',
      'KEYFOLD_TOKEN_SECRET',
      'KEYFOLD_SEALING_KEY',
    ]);
    const { KEYFOLD_STORE: _, ...others } = onMongo;
    const settings = readStandaloneSettings({ ...others, KEYFOLD_STORE_FILE: fileWith('mongodb\n') });
    expect(settings).toMatchObject(onMongo);
    expect(settings).not.toHaveProperty('KEYFOLD_DATA_DIR');
  });

  it('must be set together with a MongoDB connection string; other problems are reported as well', () => {
    const problem = 'KEYFOLD_STORE: must be set to mongodb or sqlite if KEYFOLD_MONGODB_URI is set';
    for (const name of ['KEYFOLD_MONGODB_URI', 'KEYFOLD_MONGODB_URI_FILE'])
      expect(problemsOf({ [name]: 'x', KEYFOLD_STORE: '', KEYFOLD_PORT: 'http' })).toEqual([
        problem,
        'KEYFOLD_PORT: must be a port number from 0 to 65535',
      ]);
    expect(problemsOf({ KEYFOLD_MONGODB_URI: 'x', KEYFOLD_STORE: 'sqlite' })).toEqual([]);
  });
});

describe('an invalid setting', () => {
  it.each([
    ['KEYFOLD_PORT', '65536'],
    ['KEYFOLD_PORT', '-1'],
    ['KEYFOLD_PORT', '80.5'],
    ['KEYFOLD_STORE', 'postgres'],
    ['KEYFOLD_TOKEN_SECRET', 'x'.repeat(31)],
    ['KEYFOLD_SEALING_KEY', 'no key'],
    ['KEYFOLD_SEALING_KEY', `${SEALING_KEY},${SEALING_KEY}`],
    ['KEYFOLD_TOKEN_HOURS', '0'],
    ['KEYFOLD_RELEASED_NAME_DAYS', '-1'],
    ['KEYFOLD_RELEASED_NAME_DAYS', '36501'],
    ['KEYFOLD_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['KEYFOLD_LOG_LEVEL', 'loud'],
  ])('%s=%s is reported as one problem, which names the setting', (name, value) => {
    expect(problemsOf({ [name]: value })).toEqual([expect.stringMatching(new RegExp(`^${name}: \\S`))]);
  });

  it('is reported together with all others', () => {
    const problems = problemsOf({
      KEYFOLD_PORT: 'http',
      KEYFOLD_TRUSTED_PROXIES: 'one,two',
      KEYFOLD_TOKEN_SECRET: 'short',
      KEYFOLD_TOKEN_SECRET_FILE: '/some/file',
      KEYFOLD_HOST_FILE: '/missing/file',
    });
    const names = ['HOST_FILE', 'PORT', 'TOKEN_SECRET', 'TRUSTED_PROXIES', 'TRUSTED_PROXIES'];
    expect(problems.map((problem) => problem.split(/[: ]/)[0]!).toSorted((a, b) => a.localeCompare(b))).toEqual(
      names.map((name) => `KEYFOLD_${name}`),
    );
    const { message } = new InvalidConfiguration(problems);
    for (const problem of problems) expect(message).toContain(`\n- ${problem}`);
  });

  it('is reported without the secret itself', () => {
    const secrets = { KEYFOLD_TOKEN_SECRET: 'much-too-short', KEYFOLD_SEALING_KEY: 'k1:not-32-bytes' };
    const text = problemsOf(secrets).join('\n');
    expect(text).toContain('KEYFOLD_SEALING_KEY');
    for (const secret of ['much-too-short', 'not-32-bytes']) expect(text).not.toContain(secret);
  });
});

describe('a setting in a file', () => {
  it.each([
    ['secret', 'secret'],
    ['secret\r\n', 'secret'],
    ['\uFEFFsecret\n', 'secret'],
    ['one secret', 'one secret'],
  ])('with the content %j is %j: a byte order mark and one newline at the end are removed', (content, value) => {
    const config = readStandaloneSettings({ KEYFOLD_ADMIN_PASSWORD_FILE: fileWith(content) });
    expect(config.KEYFOLD_ADMIN_PASSWORD).toBe(value);
  });

  it.each(['secret\n\n', ' secret', 'secret ', '\tsecret\n', '\n', '\uFEFF\uFEFFsecret'])(
    'with the content %j is refused, and the message says what to do',
    (content) => {
      const file = fileWith(content);
      expect(problemsOf({ KEYFOLD_ADMIN_PASSWORD_FILE: file })).toEqual([
        content === '\n'
          ? `KEYFOLD_ADMIN_PASSWORD_FILE: ${file} is empty`
          : `KEYFOLD_ADMIN_PASSWORD_FILE: ${file} begins or ends with white space. Remove it, or set KEYFOLD_ADMIN_PASSWORD if it belongs to the value`,
      ]);
    },
  );

  it('conflicts with the setting itself unless that is empty', () => {
    const KEYFOLD_PORT_FILE = fileWith('8080\n');
    expect(problemsOf({ KEYFOLD_PORT: '8080', KEYFOLD_PORT_FILE })).toEqual([
      'KEYFOLD_PORT and KEYFOLD_PORT_FILE are both set. Remove one of them',
    ]);
    expect(readStandaloneSettings({ KEYFOLD_PORT: '', KEYFOLD_PORT_FILE }).KEYFOLD_PORT).toBe(8080);
  });

  it('must be readable, not empty and valid: a missing secret is never silently replaced', () => {
    const empty = fileWith('\n');
    expect(problemsOf({ KEYFOLD_TOKEN_SECRET_FILE: '/missing/file' })).toEqual([
      'KEYFOLD_TOKEN_SECRET_FILE: cannot read /missing/file: ENOENT',
    ]);
    expect(problemsOf({ KEYFOLD_TOKEN_SECRET_FILE: empty })).toEqual([`KEYFOLD_TOKEN_SECRET_FILE: ${empty} is empty`]);
    expect(problemsOf({ KEYFOLD_PORT_FILE: fileWith('http') })).toEqual([expect.stringMatching(/^KEYFOLD_PORT: /)]);
  });
});

it('a setting in a file that every user can write is refused, and one that the group can write is not', () => {
  const file = fileWith(TOKEN_SECRET);
  chmodSync(file, 0o666);
  expect(problemsOf({ KEYFOLD_TOKEN_SECRET_FILE: file })).toEqual([
    `KEYFOLD_TOKEN_SECRET_FILE: every user can write to ${file}. Check its content and run \`chmod o-w\` on it`,
  ]);
  // Secrets of compose files have mode 0444, and those of Kubernetes are symbolic links.
  symlinkSync(file, `${file}-link`);
  for (const mode of [0o664, 0o444, 0o440]) {
    chmodSync(file, mode);
    for (const path of [file, `${file}-link`])
      expect(readStandaloneSettings({ KEYFOLD_TOKEN_SECRET_FILE: path }).KEYFOLD_TOKEN_SECRET).toBe(TOKEN_SECRET);
  }
});

describe("the admin's first password", () => {
  it.each([
    [{ OPENLIST_ADMIN_PASSWORD: 'original', KEYFOLD_ADMIN_PASSWORD: '' }, 'original'],
    [{ OPENLIST_ADMIN_PASSWORD: 'original', KEYFOLD_ADMIN_PASSWORD: 'own' }, 'own'],
  ])('is read from the name of Keyfold first, then from that of the original: %o', (environment, password) => {
    expect(readStandaloneSettings(environment).KEYFOLD_ADMIN_PASSWORD).toBe(password);
  });

  it('can come from the file that OPENLIST_ADMIN_PASSWORD_FILE names', () => {
    const config = readStandaloneSettings({ OPENLIST_ADMIN_PASSWORD_FILE: fileWith('from a file\n') });
    expect(config.KEYFOLD_ADMIN_PASSWORD).toBe('from a file');
  });

  it.each([
    ['OPENLIST_ADMIN_PASSWORD', 'OPENLIST_ADMIN_PASSWORD_FILE'],
    ['KEYFOLD_ADMIN_PASSWORD', 'OPENLIST_ADMIN_PASSWORD_FILE'],
    ['OPENLIST_ADMIN_PASSWORD', 'KEYFOLD_ADMIN_PASSWORD_FILE'],
  ])('cannot be set by both %s and %s', (name, fileSetting) => {
    expect(problemsOf({ [name]: 'secret', [fileSetting]: fileWith('secret') })).toEqual([
      `${name} and ${fileSetting} are both set. Remove one of them`,
    ]);
  });
});
