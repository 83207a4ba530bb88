import { sshKeyRingStream } from '@keyfold/projections';
import { describe, expect, it } from 'vitest';
import { publicKey } from '../../../domain/testing/ssh-key-ring.events.js';
import { addSshKey, changeAccount, registerAccount, updateAccount } from '../../testing/accounts.js';
import { EmbeddedFolder, EmbeddedService } from '../../testing/embedded-service.js';
import { MINUTE } from '../../testing/settable-clock.js';
import { LookUpSshKeysQuery, LookUpSshKeysHandler } from './look-up-keys.js';

const ANN = 7;
const MAY_USE_SFTP = 1 << 10;
const EVERYTHING_ELSE = ~MAY_USE_SFTP;
const context = { actor: 'test', correlation: 'test' };
const [laptop, phone] = [publicKey('laptop'), publicKey('phone')];

const handlerOf = ({ loader, names, clock }: EmbeddedService) => new LookUpSshKeysHandler(loader, names, clock);
type Question = ConstructorParameters<typeof LookUpSshKeysQuery>;
const lookUp = (handler: LookUpSshKeysHandler, ...question: Question) =>
  handler.execute(new LookUpSshKeysQuery(...question));

/** Starts a service with Ann, who may use SFTP, and her two keys. */
async function prepared(role: 0 | 2 = 0): Promise<EmbeddedService> {
  const service = new EmbeddedService();
  await registerAccount(service, ANN, 'ann', { role });
  await updateAccount(service, ANN, { permission: MAY_USE_SFTP });
  await addSshKey(service, ANN, 'laptop');
  await addSshKey(service, ANN, 'phone');
  return service;
}

const titlesFor = async (handler: LookUpSshKeysHandler, ...question: Question) =>
  (await lookUp(handler, ...question))?.keys.map(({ title }) => title);

describe('the keys of a name', () => {
  it('include all keys of the account, oldest first', async () => {
    const shown = ({ type, blob, fingerprint }: typeof laptop) => ({ type, blob, fingerprint });
    expect(await lookUp(handlerOf(await prepared()), 'ann')).toEqual({
      accountId: ANN,
      username: 'ann',
      basePath: '/',
      permission: MAY_USE_SFTP,
      keys: [
        { keyId: ANN * 2 ** 20 + 1, title: 'laptop', ...shown(laptop) },
        { keyId: ANN * 2 ** 20 + 2, title: 'phone', ...shown(phone) },
      ],
    });
  });

  it('include at most one key if a fingerprint is given', async () => {
    const handler = handlerOf(await prepared());
    expect(await titlesFor(handler, 'ann', phone.fingerprint)).toEqual(['phone']);
    expect(await titlesFor(handler, 'ann', publicKey('desk').fingerprint)).toEqual([]);
  });

  it.each(['Ann', 'ann ', 'bob', ''])('are not found under the name %j', async (name) => {
    expect(await lookUp(handlerOf(await prepared()), name)).toBeNull();
  });

  it.each([0, 2] as const)(
    'are not returned without the permission, even if an account with role %i has all others',
    async (role) => {
      const service = await prepared(role);
      await updateAccount(service, ANN, { permission: EVERYTHING_ELSE });
      expect(await lookUp(handlerOf(service), 'ann')).toBeNull();
    },
  );

  it('are not returned for a disabled or deleted account', async () => {
    const service = await prepared();
    const handler = handlerOf(service);
    expect(await titlesFor(handler, 'ann')).toEqual(['laptop', 'phone']);
    await updateAccount(service, ANN, { disabled: true });
    expect(await lookUp(handler, 'ann')).toBeNull();
    await changeAccount(service, ANN, { type: 'DeleteAccount' });
    expect(await lookUp(handler, 'ann')).toBeNull();
  });

  it('belong to the next owner of the name, even in a process that cached the previous one', async () => {
    const service = await prepared();
    const handler = handlerOf(service);
    await lookUp(handler, 'ann');
    await updateAccount(service, ANN, { username: 'anna' });
    expect(await lookUp(handler, 'ann')).toBeNull();
    expect(await titlesFor(handler, 'anna')).toEqual(['laptop', 'phone']);
  });

  it('are current, whichever process changed them', async () => {
    const folder = new EmbeddedFolder();
    const [one, two] = [new EmbeddedService(folder), new EmbeddedService(folder)];
    await registerAccount(one, ANN, 'ann');
    await updateAccount(one, ANN, { permission: MAY_USE_SFTP });
    const handler = handlerOf(one);
    expect(await titlesFor(handler, 'ann')).toEqual([]);
    await addSshKey(two, ANN, 'laptop');
    expect(await titlesFor(handler, 'ann')).toEqual(['laptop']);
    await updateAccount(two, ANN, { permission: 0 });
    expect(await lookUp(handler, 'ann')).toBeNull();
  });

  it('do not include a key from its expiry on, although no event says so, until it gets another expiry', async () => {
    const service = await prepared();
    const expiresAt = service.clock.now() + MINUTE;
    await addSshKey(service, ANN, 'desk', { expiresAt });
    const handler = handlerOf(service);
    service.clock.advance(MINUTE - 1);
    const before = await lookUp(handler, 'ann');
    expect(before?.keys.map((key) => [key.title, key.expiresAt])).toEqual([
      ['laptop', undefined],
      ['phone', undefined],
      ['desk', expiresAt],
    ]);
    service.clock.advance(1);
    expect(await titlesFor(handler, 'ann')).toEqual(['laptop', 'phone']);
    expect(await titlesFor(handler, 'ann', publicKey('desk').fingerprint)).toEqual([]);
    const now = service.clock.now();
    const update = { type: 'UpdateSshKey', keyId: ANN * 2 ** 20 + 3, expiresAt: now + MINUTE, now } as const;
    await service.runner.run(sshKeyRingStream(ANN), update, context);
    expect(await titlesFor(handler, 'ann')).toEqual(['laptop', 'phone', 'desk']);
  });

  it('cost one read of the store if the name was looked up before', async () => {
    const calls: string[] = [];
    const { folder } = await prepared();
    const handler = handlerOf(new EmbeddedService(folder, (call) => void calls.push(call)));
    await lookUp(handler, 'ann');
    calls.length = 0;
    expect(await titlesFor(handler, 'ann')).toEqual(['laptop', 'phone']);
    expect(calls).toEqual(['EventStore.readStreams']);
  });
});
