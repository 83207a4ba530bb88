import { sshKeyRingStream } from '@keyfold/projections';
import { describe, expect, it } from 'vitest';
import { publicKey } from '../../../domain/testing/ssh-key-ring.events.js';
import { accountState, changeAccount, registerAccount, updateAccount } from '../../testing/accounts.js';
import { EmbeddedFolder, EmbeddedService } from '../../testing/embedded-service.js';
import { LookUpSshKeys, LookUpSshKeysHandler } from './look-up-ssh-keys.js';

const ANN = 7;
const MAY_USE_SFTP = 1 << 10;
const EVERYTHING_ELSE = ~MAY_USE_SFTP;
const context = { actor: 'test', correlation: 'test' };
const [laptop, phone] = [publicKey('laptop'), publicKey('phone')];

const handlerOf = ({ loader, names }: EmbeddedService) => new LookUpSshKeysHandler(loader, names);
const lookUp = (handler: LookUpSshKeysHandler, ...question: ConstructorParameters<typeof LookUpSshKeys>) =>
  handler.execute(new LookUpSshKeys(...question));

async function permit(service: EmbeddedService, permission: number): Promise<void> {
  const { role, basePath, disabled, ssoId, allowLdap, username } = await accountState(service, ANN);
  const name = await service.names.claim(username);
  const update = { type: 'UpdateAccount', name, role, basePath, permission, disabled, ssoId, allowLdap } as const;
  await changeAccount(service, ANN, update);
}

async function addKey(service: EmbeddedService, title: string, key: typeof laptop): Promise<void> {
  const command = { type: 'AddSshKey', accountId: ANN, title, key, now: service.clock.now() } as const;
  await service.commands.run(sshKeyRingStream(ANN), command, context);
}

/** Ann, who may use SFTP, and her two keys. */
async function prepared(role: 0 | 2 = 0): Promise<EmbeddedService> {
  const service = new EmbeddedService();
  await registerAccount(service, ANN, 'ann', { role });
  await permit(service, MAY_USE_SFTP);
  await addKey(service, 'laptop', laptop);
  await addKey(service, 'phone', phone);
  return service;
}

const titlesFor = async (handler: LookUpSshKeysHandler, ...question: ConstructorParameters<typeof LookUpSshKeys>) =>
  (await lookUp(handler, ...question))?.keys.map(({ title }) => title);

describe('the keys of a name', () => {
  it('are all keys of the account, oldest first', async () => {
    const handler = handlerOf(await prepared());
    expect(await lookUp(handler, 'ann')).toEqual({
      accountId: ANN,
      username: 'ann',
      permission: MAY_USE_SFTP,
      keys: [
        {
          keyId: ANN * 2 ** 20 + 1,
          title: 'laptop',
          type: laptop.type,
          blob: laptop.blob,
          fingerprint: laptop.fingerprint,
        },
        {
          keyId: ANN * 2 ** 20 + 2,
          title: 'phone',
          type: phone.type,
          blob: phone.blob,
          fingerprint: phone.fingerprint,
        },
      ],
    });
  });

  it('are the one with the fingerprint, or none, when a fingerprint is given', async () => {
    const handler = handlerOf(await prepared());
    expect(await titlesFor(handler, 'ann', phone.fingerprint)).toEqual(['phone']);
    expect(await titlesFor(handler, 'ann', publicKey('desk').fingerprint)).toEqual([]);
  });

  it.each(['Ann', 'ann ', 'bob', ''])('are nobody’s under the name %j', async (name) => {
    expect(await lookUp(handlerOf(await prepared()), name)).toBeNull();
  });

  it.each([0, 2] as const)(
    'are not told without the permission, whatever else the account of role %i may',
    async (role) => {
      const service = await prepared(role);
      await permit(service, EVERYTHING_ELSE);
      expect(await lookUp(handlerOf(service), 'ann')).toBeNull();
    },
  );

  it('are not told of a disabled account, nor of one that was deleted', async () => {
    const service = await prepared();
    const handler = handlerOf(service);
    expect(await titlesFor(handler, 'ann')).toEqual(['laptop', 'phone']);
    await updateAccount(service, ANN, { disabled: true });
    expect(await lookUp(handler, 'ann')).toBeNull();
    await changeAccount(service, ANN, { type: 'DeleteAccount' });
    expect(await lookUp(handler, 'ann')).toBeNull();
  });

  it('follow the name to its next owner, also in a process that asked before', async () => {
    const service = await prepared();
    const handler = handlerOf(service);
    await lookUp(handler, 'ann');
    await updateAccount(service, ANN, { username: 'anna' });
    expect(await lookUp(handler, 'ann')).toBeNull();
    expect(await titlesFor(handler, 'anna')).toEqual(['laptop', 'phone']);
  });

  it('are those of now, whichever process changed them', async () => {
    const folder = new EmbeddedFolder();
    const [one, two] = [new EmbeddedService(folder), new EmbeddedService(folder)];
    await registerAccount(one, ANN, 'ann');
    await permit(one, MAY_USE_SFTP);
    const handler = handlerOf(one);
    expect(await titlesFor(handler, 'ann')).toEqual([]);
    await addKey(two, 'laptop', laptop);
    expect(await titlesFor(handler, 'ann')).toEqual(['laptop']);
    await permit(two, 0);
    expect(await lookUp(handler, 'ann')).toBeNull();
  });

  it('cost one look at the store when the name was asked for before', async () => {
    const calls: string[] = [];
    const folder = new EmbeddedFolder();
    const service = new EmbeddedService(folder, (call) => void calls.push(call));
    await registerAccount(service, ANN, 'ann');
    await permit(service, MAY_USE_SFTP);
    await addKey(service, 'laptop', laptop);
    const handler = handlerOf(service);
    await lookUp(handler, 'ann');
    calls.length = 0;
    expect(await titlesFor(handler, 'ann')).toEqual(['laptop']);
    expect(calls).toEqual(['EventStore.readStreams']);
  });
});
