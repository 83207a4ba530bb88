import { ADMIN_ID, GUEST_ID, ROLE_ADMIN, ROLE_GUEST } from '@keyfold/domain';
import { StoreUnavailable } from '@keyfold/event-store';
import { siteSettingsStream } from '@keyfold/projections';
import { describe, expect, it } from 'vitest';
import { accountState } from '../testing/accounts.js';
import { EmbeddedFolder, EmbeddedService } from '../testing/embedded-service.js';
import { LoginClient } from '../testing/login-client.js';
import { FirstStart } from './first-start.js';
import { sealingContext } from './secrets/sealing.js';
import { SettingSecrets } from './settings/setting-secrets.js';

/** Starts a process on the service's store and returns the password that it announced. */
async function start(service: EmbeddedService, chosenPassword?: string): Promise<string | undefined> {
  const { store, loader, runner, names, passwords, sealer } = service;
  let announced: string | undefined;
  await new FirstStart(store, loader, runner, names, passwords, sealer, new SettingSecrets(sealer)).run(
    chosenPassword,
    (password) => (announced = password),
  );
  return announced;
}

async function staticToken({ loader, sealer }: EmbeddedService): Promise<string> {
  const [{ state }] = await loader.load(siteSettingsStream);
  return sealer.open(state.sealedStaticToken, sealingContext.staticToken);
}

describe('the first start', () => {
  it('creates the admin with the chosen password, the disabled guest and the static token', async () => {
    const service = new EmbeddedService();
    expect(await start(service, 'chosen')).toBeUndefined();
    expect(await accountState(service, ADMIN_ID)).toMatchObject({
      username: 'admin',
      role: ROLE_ADMIN,
      permission: 0x71ff,
      passwordTimestamp: 0,
      disabled: false,
    });
    expect(await accountState(service, GUEST_ID)).toMatchObject({
      username: 'guest',
      role: ROLE_GUEST,
      disabled: true,
    });
    expect(await staticToken(service)).toMatch(/^openlist-[0-9a-f-]{36}[A-Za-z0-9]{64}$/);
    expect(await new LoginClient(service).outcome({ username: 'admin', password: 'chosen' })).toBe('token');
  });

  it('of several concurrent processes announces one password and creates everything once', async () => {
    const folder = new EmbeddedFolder();
    const services = Array.from({ length: 4 }, () => new EmbeddedService(folder));
    const announced = new Set(await Promise.all(services.map((service) => start(service))));
    expect(announced.size).toBe(1);
    const [password] = announced;
    expect(await new LoginClient(services[0]!).outcome({ username: 'admin', password: password! })).toBe('token');
    expect((await folder.store.readFeed(0, 0, 100)).map(({ command }) => command.id)).toEqual(
      expect.arrayContaining(['first-start:admin', 'first-start:guest', 'first-start:static-token']),
    );
  });

  it('announces a password derived from the sealing key if none was chosen', async () => {
    const service = new EmbeddedService();
    const password = await start(service);
    expect(password).toMatch(/^[A-Za-z0-9]{16}$/);
    expect(await new LoginClient(service).outcome({ username: 'admin', password })).toBe('token');
  });
});

describe('a later start', () => {
  it('changes and announces nothing, whatever password is chosen', async () => {
    const service = new EmbeddedService();
    await start(service, 'chosen');
    const token = await staticToken(service);
    const commits = await service.store.readFeed(0, 0, 100);
    expect(await start(service)).toBeUndefined();
    expect(await start(service, 'another')).toBeUndefined();
    expect(await service.store.readFeed(0, 0, 100)).toEqual(commits);
    expect(await staticToken(service)).toBe(token);
  });

  it.each([1, 2, 3])('finishes what a crash at append %i left undone', async (crash) => {
    let appends = 0;
    const folder = new EmbeddedFolder();
    const crashing = new EmbeddedService(folder, (call) => {
      if (call === 'EventStore.append' && ++appends === crash) throw new StoreUnavailable('crash');
    });
    await expect(start(crashing, 'chosen')).rejects.toBeInstanceOf(StoreUnavailable);
    const service = new EmbeddedService(folder);
    await start(service, 'chosen');
    const streams = (await service.store.readFeed(0, 0, 100)).map(({ stream }) => stream);
    expect(streams).toEqual(['account-1', 'account-2', 'site-settings']);
    expect(await new LoginClient(service).outcome({ username: 'admin', password: 'chosen' })).toBe('token');
  });
});
