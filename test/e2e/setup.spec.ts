import { describe, expect, it, onTestFinished } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { logLines } from '../support/log-lines.js';
import { shownSetups } from '../support/setup-code.js';
import { StandaloneProcess } from '../support/standalone-process.js';

const REFUSED =
  '403 the setup code is wrong, or the setup is over: then log in, or run "keyfold account set-password admin"';
const PASSWORD = 'chosen in the browser';
const WRONG = { code: '0000-0000-0000-0000', password: PASSWORD };
const times = (count: number) => Array.from({ length: count }, (_, index) => index);

/** A service after its first start with a generated password. Each request has its own connection, so both threads get some. */
async function firstStarted() {
  const app = await StandaloneProcess.start({ KEYFOLD_ADMIN_PASSWORD: undefined, KEYFOLD_THREADS: '2' });
  onTestFinished(() => app.dispose());
  const api = new ApiClient(app.baseUrl);
  const code = (await shownSetups(app))[0]!.setupCode;
  const setUp = (body: object) => api.post('/api/auth/setup', body);
  /** Returns the answer that some connections get, if it is the same. */
  const open = async () => {
    const answers = await Promise.all(times(8).map(() => api.get('/api/auth/setup')));
    const told = new Set(answers.map((answer) => answer.data<{ open: boolean }>().open));
    return told.size === 1 ? [...told][0] : 'mixed';
  };
  return { app, api, code, setUp, open };
}

describe('after the first start', () => {
  it('the code of the log sets the password of the admin and logs in, once, on every thread', async () => {
    const { app, api, code, setUp, open } = await firstStarted();
    expect(await open()).toBe(true);
    expect((await setUp({ ...WRONG, code: '' })).outcome).toBe('400 code must be longer than or equal to 1 characters');
    const answers = await Promise.all(times(4).map(() => setUp({ code: code.toLowerCase(), password: PASSWORD })));
    const [won, ...more] = answers.filter((answer) => answer.code === 200);
    expect(more).toEqual([]);
    expect(new Set(answers.filter((answer) => answer !== won).map(({ outcome }) => outcome))).toEqual(
      new Set([REFUSED]),
    );
    const admin = api.as(won!.data<{ token: string }>().token);
    expect((await admin.get('/api/me')).data()).toMatchObject({ id: 1, username: 'admin' });
    expect((await admin.get('/api/me/sessions')).data()).toMatchObject([{ current: true, factors: ['password'] }]);
    const { content } = (await admin.get('/api/me/activity')).data<{ content: { type: string }[] }>();
    expect(content.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['account.password-changed', 'session.started']),
    );
    expect((await api.logIn('admin', PASSWORD)).code).toBe(200);
    expect(await open()).toBe(false);
    await app.restart();
    expect(await open()).toBe(false);
    expect(await shownSetups(app, 2)).toHaveLength(1);
  });

  it('every start shows the same code and the page until somebody logs in, but none without the console', async () => {
    const { app, api, code, setUp, open } = await firstStarted();
    await app.restart({ KEYFOLD_CONSOLE: 'off' });
    expect(await open()).toBe(false);
    expect((await setUp({ code, password: PASSWORD })).outcome).toBe(REFUSED);
    expect(await shownSetups(app, 2)).toHaveLength(1);
    await app.restart({ KEYFOLD_CONSOLE: 'on' });
    const page = `${app.baseUrl}/@account`;
    expect(await shownSetups(app, 3)).toEqual(times(2).map(() => ({ page, setupCode: code })));
    const password = String(logLines(app.output()).find((line) => 'password' in line)?.['password']);
    expect((await api.logIn('admin', password)).code).toBe(200);
    expect(await open()).toBe(false);
    expect((await setUp({ code, password: PASSWORD })).outcome).toBe(REFUSED);
  });

  it('ten wrong codes end the setup on every thread, and leave the login as it is', async () => {
    const { app, api, code, setUp, open } = await firstStarted();
    const answers = await Promise.all(times(20).map(() => setUp(WRONG)));
    expect(new Set(answers.map(({ outcome }) => outcome))).toEqual(new Set([REFUSED]));
    const lines = logLines(app.output()).filter((line) => line['factor'] === 'setup_code');
    expect(lines[0]).toMatchObject({ event: 'authn_login_fail:1', account: 1, reason: 'setup-refused' });
    expect((await setUp({ code, password: PASSWORD })).outcome).toBe(REFUSED);
    expect(await open()).toBe(false);
    await app.restart();
    expect(await open()).toBe(false);
    expect(await shownSetups(app, 2)).toHaveLength(1);
    expect((await api.logIn('admin', PASSWORD)).outcome).toBe('401 Invalid username or password');
    const password = String(logLines(app.output()).find((line) => 'password' in line)?.['password']);
    expect((await api.logIn('admin', password)).code).toBe(200);
  });
});
