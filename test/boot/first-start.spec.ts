import { describe, expect, it, onTestFinished } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { logLines } from '../support/log-lines.js';
import { StandaloneProcess, type ProcessEnv } from '../support/standalone-process.js';
import { storedApiToken, storedCommits } from '../support/stored-data.js';

async function start(env: ProcessEnv): Promise<StandaloneProcess> {
  const app = await StandaloneProcess.start(env);
  onTestFinished(() => app.dispose());
  return app;
}

const announcements = (app: StandaloneProcess) => logLines(app.output()).filter((line) => 'password' in line);

describe('the first start without a chosen password', () => {
  it('prints a random password exactly once, which is the password of the admin', async () => {
    const app = await start({ KEYFOLD_ADMIN_PASSWORD: undefined });
    const [announced, ...more] = announcements(app);
    const password = String(announced?.['password']);
    expect(password).toMatch(/^[A-Za-z0-9]{16}$/);
    expect(more).toEqual([]);
    expect(app.output().split(password)).toHaveLength(2);
    const admin = await new ApiClient(app.baseUrl).signedIn('admin', password);
    expect((await admin.get('/api/me')).data()).toMatchObject({ id: 1, username: 'admin', role: 2, disabled: false });
  });

  it('makes another password on every machine', async () => {
    const [here, there] = await Promise.all([
      start({ KEYFOLD_ADMIN_PASSWORD: undefined }),
      start({ KEYFOLD_ADMIN_PASSWORD: undefined }),
    ]);
    expect(announcements(here)[0]?.['password']).not.toBe(announcements(there)[0]?.['password']);
    expect(storedApiToken(here.dataDir)).not.toBe(storedApiToken(there.dataDir));
  });

  it('leaves the guest disabled', async () => {
    const app = await start({});
    const anybody = new ApiClient(app.baseUrl);
    expect((await anybody.get('/api/me')).outcome).toBe('401 Guest user is disabled, login please');
    expect((await anybody.logIn('guest', 'guest')).outcome).toBe('401 Invalid username or password');
  });
});

describe('a later start', () => {
  it('changes nothing and prints no password', async () => {
    const app = await start({ KEYFOLD_ADMIN_PASSWORD: undefined });
    await app.stop();
    const before = storedCommits(app.dataDir);
    await app.restart();
    await app.stop();
    expect(storedCommits(app.dataDir)).toEqual(before);
    expect(announcements(app)).toHaveLength(1);
  });
});

describe('a chosen first password', () => {
  it.each(['KEYFOLD_ADMIN_PASSWORD', 'OPENLIST_ADMIN_PASSWORD'])(
    'from %s is the password of the admin and is not printed',
    async (name) => {
      const app = await start({ KEYFOLD_ADMIN_PASSWORD: undefined, [name]: 'ch0sen-pass' });
      expect((await new ApiClient(app.baseUrl).logIn('admin', 'ch0sen-pass')).code).toBe(200);
      expect(app.output()).not.toContain('ch0sen-pass');
      expect(announcements(app)).toEqual([]);
    },
  );

  it.each(['KEYFOLD_ADMIN_PASSWORD', 'OPENLIST_ADMIN_PASSWORD'])(
    'from %s is not used when an admin exists',
    async (name) => {
      const app = await start({ KEYFOLD_ADMIN_PASSWORD: 'f1rst-pass' });
      await app.restart({ KEYFOLD_ADMIN_PASSWORD: undefined, [name]: 's3cond-pass' });
      const api = new ApiClient(app.baseUrl);
      expect((await api.logIn('admin', 's3cond-pass')).outcome).toBe('401 Invalid username or password');
      expect((await api.logIn('admin', 'f1rst-pass')).code).toBe(200);
    },
  );
});
