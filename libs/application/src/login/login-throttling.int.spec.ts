import { DomainError } from '@keyfold/domain';
import { HashQueueFull } from '@keyfold/security';
import { describe, expect, it } from 'vitest';
import { changeAccount, registerAccount } from '../../testing/accounts.js';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { clientWithAnn } from '../../testing/login-client.js';
import { DAY, MINUTE } from '../../testing/settable-clock.js';

const times = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('the count of wrong passwords', () => {
  it('refuses after five, even the right password, and says for how long', async () => {
    const { service, client } = await clientWithAnn();
    for (const _ of times(5)) expect(await client.outcome({ password: 'wrong' })).toBe('invalid-credentials');
    await expect(client.logIn()).rejects.toEqual(new DomainError('too-many-attempts', { retryAfterSeconds: 300 }));
    service.clock.advance(5 * MINUTE);
    expect(await client.outcome()).toBe('token');
  });

  it('treats unknown names like known ones', async () => {
    const { client } = await clientWithAnn();
    for (const _ of times(5)) expect(await client.outcome({ username: 'nobody' })).toBe('invalid-credentials');
    expect(await client.outcome({ username: 'nobody' })).toBe('too-many-attempts');
    expect(await client.outcome()).toBe('token');
  });

  it('is reset by a success', async () => {
    const { client } = await clientWithAnn();
    for (const _ of times(3)) {
      for (const _ of times(4)) expect(await client.outcome({ password: 'wrong' })).toBe('invalid-credentials');
      expect(await client.outcome()).toBe('token');
    }
  });

  it('cannot be bypassed by concurrent tries', async () => {
    const { client } = await clientWithAnn();
    const outcomes = await Promise.all(times(20).map(() => client.outcome({ password: 'wrong' })));
    expect(outcomes.filter((outcome) => outcome === 'invalid-credentials')).toHaveLength(5);
    expect(outcomes.filter((outcome) => outcome === 'too-many-attempts')).toHaveLength(15);
  });
});

describe('a device token', () => {
  /** Logs Ann in once; then a stranger uses up all tries of her account. */
  async function attackedClient() {
    const { service, client } = await clientWithAnn();
    await registerAccount(service, 8, 'bea');
    const { deviceToken: device } = await client.logInWithDevice();
    for (const _ of times(5)) await client.outcome({ password: 'wrong' });
    expect(await client.outcome()).toBe('too-many-attempts');
    return { service, client, device };
  }

  it('lets its device log in after strangers have used up all tries, and is renewed', async () => {
    const { service, client, device } = await attackedClient();
    service.clock.advance(80 * DAY);
    for (const _ of times(5)) await client.outcome({ password: 'wrong' });
    const { token, deviceToken } = await client.logInWithDevice({ device });
    expect(service.tokens.read(token)).toMatchObject({ sub: '7' });
    const [before, after] = [device, deviceToken].map((each) => service.devices.read(each, service.clock.now())!);
    expect(after).toEqual(before);
    service.clock.advance(80 * DAY);
    for (const _ of times(5)) await client.outcome({ password: 'wrong' });
    expect(await client.outcome({ device })).toBe('too-many-attempts');
    expect(await client.outcome({ device: deviceToken })).toBe('token');
  });

  it('is ignored for the codes of another account that has the name now', async () => {
    const { service, client, device } = await attackedClient();
    await changeAccount(service, 7, { type: 'DeleteAccount' });
    await registerAccount(service, 9, 'ann');
    await client.enableTwoFactor(9);
    service.clock.advance(MINUTE);
    const elsewhere = { address: '203.0.113.7', device };
    const { deviceToken } = await client.logInWithDevice({ ...elsewhere, code: client.code() });
    const ids = [device, deviceToken].map((each) => service.devices.read(each, service.clock.now())!.id);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it('is ignored for another account, and an invented one is always ignored', async () => {
    const { client, device } = await attackedClient();
    for (const _ of times(5)) await client.outcome({ username: 'bea', password: 'wrong' });
    expect(await client.outcome({ username: 'bea', device })).toBe('too-many-attempts');
    expect(await client.outcome({ device: `${device}x` })).toBe('too-many-attempts');
  });
});

describe('a password that cannot be checked', () => {
  /** Starts a client and a hash queue that is full until it is emptied. */
  async function clientAtFullQueue() {
    let full = true;
    const service = new EmbeddedService(undefined, (call) => {
      if (full && call === 'PasswordHasher.verify') throw new HashQueueFull(2);
    });
    return { ...(await clientWithAnn(service)), empty: () => (full = false) };
  }

  it('does not count as wrong: the full queue is reported, and the try is given back', async () => {
    const { client, empty } = await clientAtFullQueue();
    for (const _ of times(10)) await expect(client.logIn()).rejects.toBeInstanceOf(HashQueueFull);
    empty();
    for (const _ of times(5)) expect(await client.outcome({ password: 'wrong' })).toBe('invalid-credentials');
    expect(await client.outcome()).toBe('too-many-attempts');
  });

  it('is throttled by source if it finds the queue full again and again', async () => {
    const { client, empty } = await clientAtFullQueue();
    for (const _ of times(50)) await expect(client.logIn()).rejects.toBeInstanceOf(HashQueueFull);
    expect(await client.outcome()).toBe('too-many-attempts');
    empty();
    expect(await client.outcome({ address: '203.0.113.1' })).toBe('token');
  });

  it('is refused at once if two hundred from its account and source are already waiting', async () => {
    const { client } = await clientWithAnn();
    const outcomes = await Promise.allSettled(times(201).map(() => client.logIn()));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(200);
    expect(outcomes.at(-1)).toMatchObject({ status: 'rejected', reason: expect.any(HashQueueFull) as unknown });
  });
});
