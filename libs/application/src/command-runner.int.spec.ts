import { DomainError } from '@keyfold/domain';
import { Contended, StoreUnavailable } from '@keyfold/event-store';
import { accounts, Projector, sshKeyRingStream } from '@keyfold/projections';
import { SqliteFeedLeases } from '@keyfold/event-store/sqlite';
import { describe, expect, it } from 'vitest';
import { addKey, publicKey } from '../../domain/testing/ssh-key-ring.events.js';
import { register } from '../../domain/testing/account.commands.js';
import { accountState, changeAccount, registerAccount } from '../testing/accounts.js';
import { EmbeddedFolder, EmbeddedService } from '../testing/embedded-service.js';
import type { CommandContext } from './command-runner.js';

const context: CommandContext = { actor: 'test', correlation: 'test' };
const ring = sshKeyRingStream(7);
const ATTEMPTS = 6;

const add = ({ commands }: EmbeddedService, title: string, details: Partial<CommandContext> = {}) =>
  commands.run(ring, addKey(title, publicKey(title)), { ...context, ...details });

async function titles({ loader }: EmbeddedService): Promise<string[]> {
  const [{ state }] = await loader.load(ring);
  return state.keys.map(({ title }) => title);
}

/** A service whose appends wait until `rival` has done something to the same store; counts them. */
function serviceWithRival(rival: (service: EmbeddedService, append: number) => Promise<void> | undefined) {
  const folder = new EmbeddedFolder();
  const other = new EmbeddedService(folder);
  const counted = { appends: 0 };
  const service = new EmbeddedService(folder, (call) =>
    call === 'EventStore.append' ? rival(other, ++counted.appends) : undefined,
  );
  return { service, counted };
}

describe('a conflict with another writer of the stream', () => {
  it('is solved by deciding again on what the other wrote', async () => {
    const { service, counted } = serviceWithRival((other, append) => (append === 1 ? add(other, 'theirs') : undefined));
    await add(service, 'ours');
    expect(await titles(service)).toEqual(['theirs', 'ours']);
    expect(counted.appends).toBe(2);
  });

  it('is a refusal when what the other wrote forbids the command', async () => {
    const { service } = serviceWithRival((other, append) => (append === 1 ? add(other, 'laptop') : undefined));
    await expect(add(service, 'laptop')).rejects.toEqual(new DomainError('ssh-key-title-taken'));
    expect(await titles(service)).toEqual(['laptop']);
  });

  it('rejects with Contended if every attempt meets one', async () => {
    const { service, counted } = serviceWithRival((other, append) => add(other, `theirs ${append}`));
    await expect(add(service, 'ours')).rejects.toBeInstanceOf(Contended);
    expect(counted.appends).toBe(ATTEMPTS);
    expect(await titles(service)).not.toContain('ours');
  });
});

describe('commands of one process', () => {
  it('are decided one after another for a stream, so that none meets another', async () => {
    let appends = 0;
    const service = new EmbeddedService(undefined, (call) => void (appends += Number(call === 'EventStore.append')));
    const wanted = Array.from({ length: 100 }, (_, index) => `key ${index}`);
    await Promise.all(wanted.map((title) => add(service, title)));
    expect(await titles(service)).toEqual(wanted);
    expect(appends).toBe(wanted.length);
  });

  it('go on after one was refused', async () => {
    const service = new EmbeddedService();
    const outcomes = await Promise.allSettled(['laptop', 'laptop', 'phone'].map((title) => add(service, title)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('write nothing when nothing changes', async () => {
    const service = new EmbeddedService();
    await registerAccount(service, 7, 'ann');
    await changeAccount(service, 7, { type: 'DisableTwoFactor' });
    expect(await service.store.readFeed(0, 0, 10)).toHaveLength(1);
  });

  it('say in their commit who wanted what, and when, and in which trace', async () => {
    const service = new EmbeddedService();
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await add(service, 'laptop', { actor: 'session:7', correlation: 'request-1', commandId: 'message-1', traceparent });
    const [commit] = await service.store.readFeed(0, 0, 10);
    expect(commit).toMatchObject({
      stream: 'ssh-keys-7',
      partition: '7',
      version: 1,
      command: { id: 'message-1', type: 'AddSshKey' },
      at: service.clock.now(),
      actor: 'session:7',
      correlation: 'request-1',
      traceparent,
    });
  });
});

it('a hold that another commit took is the refusal that the decider named', async () => {
  const service = new EmbeddedService();
  const claim = await service.names.claim('ann');
  await changeAccount(service, 7, register('ann', { name: claim }));
  const late = changeAccount(service, 8, register('ann', { accountId: 8, name: claim }));
  await expect(late).rejects.toEqual(new DomainError('username-taken'));
  expect((await accountState(service, 8)).status).toBe('absent');
});

describe('a command id from outside', () => {
  const again = { commandId: 'message-1' };

  it('runs once, whether it comes again later or at the same time', async () => {
    const service = new EmbeddedService();
    await Promise.all([add(service, 'laptop', again), add(service, 'laptop', again)]);
    await add(service, 'laptop', again);
    expect(await titles(service)).toEqual(['laptop']);
  });

  it('runs once when another process is doing it', async () => {
    const { service, counted } = serviceWithRival((other, append) =>
      append === 1 ? add(other, 'laptop', again) : undefined,
    );
    await add(service, 'laptop', again);
    expect(await titles(service)).toEqual(['laptop']);
    expect(counted.appends).toBe(1);
  });
});

describe('the document of a listed stream', () => {
  it('is there when the command is done', async () => {
    const service = new EmbeddedService();
    await registerAccount(service, 7, 'ann');
    expect(await service.readModels.list(accounts, 0, 10)).toMatchObject({ items: [{ username: 'ann' }], total: 1 });
  });

  it('follows later when it cannot be written, and the command is done all the same', async () => {
    const failure = new StoreUnavailable('the disk is full');
    let full = true;
    const service = new EmbeddedService(undefined, (call) => {
      if (full && call === 'ReadModelStore.put') throw failure;
    });
    await registerAccount(service, 7, 'ann');
    expect(service.projectionErrors).toEqual([failure]);
    expect((await accountState(service, 7)).username).toBe('ann');
    expect((await service.readModels.list(accounts, 0, 10)).total).toBe(0);

    full = false;
    const leases = new SqliteFeedLeases(service.folder.views);
    await new Projector(service.store, service.projection, leases, () => undefined).catchUp();
    expect((await service.readModels.list(accounts, 0, 10)).total).toBe(1);
  });

  it('is not written for streams that no list shows', async () => {
    const calls: string[] = [];
    const service = new EmbeddedService(undefined, (call) => void calls.push(call));
    await add(service, 'laptop');
    expect(calls).not.toContain('ReadModelStore.put');
  });
});

it.each(['EventStore.append', 'EventStore.readStreams'])(
  'a store that fails in %s is unavailable to the caller, once',
  async (failing) => {
    let fails = true;
    const service = new EmbeddedService(undefined, (call) => {
      if (fails && call === failing) throw new StoreUnavailable('away');
    });
    await expect(add(service, 'laptop')).rejects.toBeInstanceOf(StoreUnavailable);
    fails = false;
    await add(service, 'laptop');
    expect(await titles(service)).toEqual(['laptop']);
  },
);
