import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { logLines } from '../support/log-lines.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { storedStaticToken, storedCommits } from '../support/stored-data.js';

/** Returns the log lines that contain a password. */
const announcements = (app: StandaloneProcess) => logLines(app.output()).filter((line) => 'password' in line);

describe('the first start without a chosen password', () => {
  let app: StandaloneProcess;
  let elsewhere: StandaloneProcess;

  beforeAll(async () => {
    // The password is logged at any level.
    const env = { KEYFOLD_ADMIN_PASSWORD: undefined, KEYFOLD_LOG_LEVEL: 'silent' };
    const start = () => StandaloneProcess.start(env);
    [app, elsewhere] = await Promise.all([start(), start()]);
  });

  afterAll(() => Promise.all([app.dispose(), elsewhere.dispose()]));

  it('logs a random admin password exactly once', async () => {
    const [announced, ...more] = announcements(app);
    const password = String(announced?.['password']);
    expect(password).toMatch(/^[A-Za-z0-9]{16}$/);
    expect(more).toEqual([]);
    expect(app.output().split(password)).toHaveLength(2);
    const admin = await new ApiClient(app.baseUrl).signedIn('admin', password);
    expect((await admin.get('/api/me')).data()).toMatchObject({ id: 1, username: 'admin', role: 2, disabled: false });
  });

  it('logs the setup code at any log level, too', async () => {
    const setups = () => logLines(app.output()).filter((line) => 'setupCode' in line);
    await eventually(() => expect(setups()).toMatchObject([{ page: `${app.baseUrl}/@account` }]));
  });

  it('creates different secrets in every folder', () => {
    expect(announcements(app)[0]?.['password']).not.toBe(announcements(elsewhere)[0]?.['password']);
    expect(storedStaticToken(app.dataDir)).not.toBe(storedStaticToken(elsewhere.dataDir));
  });

  it('leaves the guest disabled', async () => {
    const anybody = new ApiClient(app.baseUrl);
    expect((await anybody.get('/api/me')).outcome).toBe('401 Guest user is disabled, login please');
    expect((await anybody.logIn('guest', 'guest')).outcome).toBe('401 Invalid username or password');
  });

  it('happens once: a second start changes nothing and logs no password', async () => {
    await app.stop();
    const before = storedCommits(app.dataDir);
    await app.restart();
    await app.stop();
    expect(storedCommits(app.dataDir)).toEqual(before);
    expect(announcements(app)).toHaveLength(1);
  });
});

it('a chosen password belongs to the first admin, is not logged, and is ignored once the admin exists', async () => {
  const app = await StandaloneProcess.start({
    KEYFOLD_ADMIN_PASSWORD: undefined,
    OPENLIST_ADMIN_PASSWORD: 'f1rst-pass',
  });
  onTestFinished(() => app.dispose());
  const api = new ApiClient(app.baseUrl);
  expect((await api.logIn('admin', 'f1rst-pass')).code).toBe(200);
  await app.restart({ OPENLIST_ADMIN_PASSWORD: 's3cond-pass' });
  expect((await api.logIn('admin', 's3cond-pass')).outcome).toBe('401 Invalid username or password');
  expect((await api.logIn('admin', 'f1rst-pass')).code).toBe(200);
  expect(announcements(app)).toEqual([]);
  expect(app.output()).not.toMatch(/f1rst-pass|s3cond-pass/);
});
