import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { keyfold } from '../support/cli.js';
import { failedStart, usedPort } from '../support/failed-start.js';
import { logLines } from '../support/log-lines.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { filesOf } from '../support/stored-data.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyfold-settings-'));
});

afterAll(() => rm(folder, { recursive: true }));

async function settingFile(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

/** Returns the settings that problems are about, sorted. */
const namesIn = (problems: string[]) => problems.map((problem) => /^- (\w+)/.exec(problem)?.[1] ?? problem).toSorted();

describe('an invalid configuration', () => {
  it('exits with 78 and reports every problem at once, without secrets or stack traces', async () => {
    const missing = join(folder, 'missing');
    const { exitCode, output } = await failedStart({
      KEYFOLD_PORT: '70000',
      KEYFOLD_TRUSTED_PROXIES: '127.0.0.1, not-a-proxy',
      KEYFOLD_TOKEN_SECRET: 'too-short-secret',
      KEYFOLD_SEALING_KEY: 'k1:bad-sealing-key',
      KEYFOLD_ADMIN_PASSWORD: 'set-twice',
      KEYFOLD_ADMIN_PASSWORD_FILE: await settingFile('twice', 'set-twice-too'),
      KEYFOLD_TOKEN_HOURS_FILE: missing,
      KEYFOLD_LOG_LEVEL: 'loud',
    });
    expect(exitCode).toBe(78);
    const [title, ...problems] = output.trim().split('\n');
    expect(title).toContain('the configuration is invalid');
    expect(namesIn(problems)).toEqual([
      'KEYFOLD_ADMIN_PASSWORD',
      'KEYFOLD_LOG_LEVEL',
      'KEYFOLD_PORT',
      'KEYFOLD_SEALING_KEY',
      'KEYFOLD_TOKEN_HOURS_FILE',
      'KEYFOLD_TOKEN_SECRET',
      'KEYFOLD_TRUSTED_PROXIES',
    ]);
    expect(output).toContain('KEYFOLD_ADMIN_PASSWORD and KEYFOLD_ADMIN_PASSWORD_FILE are both set');
    expect(output).toContain(`cannot read ${missing}`);
    expect(output).toContain('not-a-proxy');
    expect(output).not.toMatch(/set-twice|too-short-secret|bad-sealing-key/);
  });
});

describe('the addresses of the ports', () => {
  const urlsOf = async (env: Record<string, string>) => {
    const app = await StandaloneProcess.start({ ...env, KEYFOLD_SERVERS_PORT: '0' });
    onTestFinished(() => app.dispose());
    const urls = logLines(app.output()).flatMap(({ msg, url }) =>
      ['management', 'servers port', 'ready'].includes(msg) ? [`${msg} ${String(url).replace(/\d+$/, 'port')}`] : [],
    );
    const isReached = (await Promise.allSettled([fetch(`http://127.0.0.2:${app.port}/ping`)]))[0].status;
    return { urls: urls.toSorted(), isReached };
  };

  it('are loopback unless they are set', async () => {
    expect(await urlsOf({ KEYFOLD_HOST: '' })).toEqual({
      urls: ['management', 'ready', 'servers port'].map((msg) => `${msg} http://127.0.0.1:port`),
      isReached: 'rejected',
    });
  });

  it('are logged as they are bound', async () => {
    const all = { KEYFOLD_HOST: '0.0.0.0', KEYFOLD_MANAGEMENT_HOST: '0.0.0.0', KEYFOLD_SERVERS_HOST: '0.0.0.0' };
    expect(await urlsOf(all)).toEqual({
      urls: ['management', 'ready', 'servers port'].map((msg) => `${msg} http://0.0.0.0:port`),
      isReached: 'fulfilled',
    });
  });
});

describe('a misspelt setting', () => {
  const WARNING = 'KEYFOLD_PROT is not a setting. Did you mean KEYFOLD_PORT?';

  it('causes one warning, and the start continues', async () => {
    const app = await StandaloneProcess.start({ KEYFOLD_PROT: '8080', KEYFOLD_PORT_5244_TCP: 'tcp://10.0.0.1:5244' });
    onTestFinished(() => app.dispose());
    expect(logLines(app.output()).filter(({ level }) => level > 30)).toMatchObject([{ level: 40, msg: WARNING }]);
  });

  it('is reported before the problems that fail the start', async () => {
    const { exitCode, output } = await failedStart({ KEYFOLD_PROT: '8080', KEYFOLD_LOG_LEVEL: 'loud' });
    expect(exitCode).toBe(78);
    expect(output).toMatch(new RegExp(`^keyfold: ${WARNING.replaceAll(/[.?]/g, '\\$&')}\nkeyfold cannot start: `));
  });

  it('is reported by a command beside its output', async () => {
    const { out, err } = await keyfold({ KEYFOLD_PROT: '8080', KEYFOLD_DATA_DIR: folder }, 'verify');
    expect({ out, first: err.split('\n')[0] }).toEqual({ out: '', first: `keyfold: ${WARNING}` });
  });
});

describe('a setting from a file', () => {
  let app: StandaloneProcess;

  beforeAll(async () => {
    app = await StandaloneProcess.start({
      KEYFOLD_ADMIN_PASSWORD: undefined,
      KEYFOLD_ADMIN_PASSWORD_FILE: await settingFile('password', 'two  words\n'),
      KEYFOLD_SEALING_KEY_FILE: await settingFile('sealing', `own:${randomBytes(32).toString('base64')}\r\n`),
      KEYFOLD_TOKEN_SECRET_FILE: await settingFile('token', `${randomBytes(48).toString('hex')}\n`),
    });
  });

  afterAll(() => app.dispose());

  it('loses its last newline', async () => {
    const api = new ApiClient(app.baseUrl);
    expect((await api.logIn('admin', 'two  words\n')).code).toBe(401);
    expect((await api.logIn('admin', 'two  words')).code).toBe(200);
  });

  it('replaces a generated secret', async () => {
    const admin = await new ApiClient(app.baseUrl).signedIn('admin', 'two  words');
    await app.restart();
    expect((await admin.get('/api/me')).code).toBe(200);
    const files = filesOf(app.dataDir).map(({ name }) => name);
    expect(files).toContain('keyfold.db');
    expect(files).not.toContain('token-secret');
    expect(files).not.toContain('sealing-key');
  });
});

it.each(['KEYFOLD_PORT', 'KEYFOLD_MANAGEMENT_PORT', 'KEYFOLD_SERVERS_PORT'])(
  '%s that another program uses is reported, and what was opened is closed',
  async (setting) => {
    const [port, data] = [await usedPort(), join(folder, setting)];
    const { exitCode, output } = await failedStart({ [setting]: port, KEYFOLD_DATA_DIR: data });
    expect(exitCode).toBe(1);
    // The log contains nothing but this sentence.
    expect(output.split('\n').filter((line) => !line.startsWith('{"level":30,'))).toEqual([
      `keyfold cannot start: cannot listen on 127.0.0.1:${port}: the port is already in use. Stop the other program, or set ${setting} to another port`,
      '',
    ]);
    // The management port is opened before the data folder.
    const left = existsSync(data) ? readdirSync(data) : [];
    expect(left.includes('keyfold.db')).toBe(setting !== 'KEYFOLD_MANAGEMENT_PORT');
    // Closing the socket of operators deletes it.
    expect(left.filter((name) => name.endsWith('.sock'))).toEqual([]);
  },
);
