import { DomainError } from '@keyfold/domain';
import { CommandIdReused, Contended, StoreUnavailable } from '@keyfold/event-store';
import { accounts, accountStream, Projector, sshKeyRingStream } from '@keyfold/projections';
import { SqliteFeedLeases } from '@keyfold/event-store/sqlite';
import { describe, expect, it } from 'vitest';
import { addKey, publicKey } from '../../../domain/testing/ssh-key-ring.events.js';
import { register } from '../../../domain/testing/account.commands.js';
import { accountState, changeAccount, registerAccount } from '../../testing/accounts.js';
import { EmbeddedFolder, EmbeddedService } from '../../testing/embedded-service.js';
import type { CommandContext } from './command-runner.js';

const context: CommandContext = { actor: 'test', correlation: 'test' };
const ring = sshKeyRingStream(7);
const ATTEMPTS = 6;

const add = ({ runner }: EmbeddedService, title: string, details: Partial<CommandContext> = {}) =>
  runner.run(ring, addKey(title, publicKey(title)), { ...context, ...details });

async function titles({ loader }: EmbeddedService): Promise<string[]> {
  const [{ state }] = await loader.load(ring);
  return state.keys.map(({ title }) => title);
}

/** Starts a service that runs `rival` on the same store before each of its appends, and counts them. */
function serviceWithRival(rival: (service: EmbeddedService, append: number) => Promise<unknown> | undefined) {
  const folder = new EmbeddedFolder();
  const other = new EmbeddedService(folder);
  const counted = { appends: 0 };
  const service = new EmbeddedService(folder, (call) =>
    call === 'EventStore.append' ? rival(other, ++counted.appends) : undefined,
  );
  return { service, counted };
}
const serviceWithOneRival = (rival: (service: EmbeddedService) => Promise<unknown>) =>
  serviceWithRival((other, append) => (append === 1 ? rival(other) : undefined));

describe('a conflict with another writer of the stream', () => {
  it('is resolved by deciding again on the other commit', async () => {
    const { service, counted } = serviceWithOneRival((other) => add(other, 'theirs'));
    await add(service, 'ours');
    expect(await titles(service)).toEqual(['theirs', 'ours']);
    expect(counted.appends).toBe(2);
  });

  it('is a refusal if the other commit forbids the command', async () => {
    const { service } = serviceWithOneRival((other) => add(other, 'laptop'));
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
  it('on one stream are decided one at a time, without conflicts', async () => {
    let appends = 0;
    const service = new EmbeddedService(undefined, (call) => void (appends += Number(call === 'EventStore.append')));
    const wanted = Array.from({ length: 100 }, (_, index) => `key ${index}`);
    await Promise.all(wanted.map((title) => add(service, title)));
    expect(await titles(service)).toEqual(wanted);
    expect(appends).toBe(wanted.length);
  });

  it('continue after a refusal', async () => {
    const service = new EmbeddedService();
    const outcomes = await Promise.allSettled(['laptop', 'laptop', 'phone'].map((title) => add(service, title)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('record actor, time and trace in their commit', async () => {
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

const added = (title: string) => ({ type: 'SshKeyAdded', data: { title } });

describe('the outcome of a command', () => {
  it('is its events and the state with them', async () => {
    const service = new EmbeddedService();
    await add(service, 'laptop');
    expect(await add(service, 'phone')).toMatchObject({
      events: [added('phone')],
      state: { keys: [{ title: 'laptop' }, { title: 'phone' }] },
    });
  });

  it('has no events if nothing changes, and nothing is stored', async () => {
    const service = new EmbeddedService();
    await registerAccount(service, 7, 'ann');
    const { events, state } = await changeAccount(service, 7, { type: 'DisableTwoFactor' });
    expect(events).toEqual([]);
    expect(state.username).toBe('ann');
    expect(await service.store.readFeed(0, 0, 10)).toHaveLength(1);
  });
});

it('a hold that another commit took gives the refusal that the decider chose', async () => {
  const service = new EmbeddedService();
  const claim = await service.names.claim('ann');
  await changeAccount(service, 7, register('ann', { name: claim }));
  const late = changeAccount(service, 8, register('ann', { accountId: 8, name: claim }));
  await expect(late).rejects.toEqual(new DomainError('username-taken'));
  expect((await accountState(service, 8)).status).toBe('absent');
});

describe('a command id from outside', () => {
  const again = { commandId: 'message-1' };

  it('runs once, whether it is repeated later or concurrently, and a repetition has no events', async () => {
    const service = new EmbeddedService();
    await Promise.all([add(service, 'laptop', again), add(service, 'laptop', again)]);
    expect(await add(service, 'phone', again)).toMatchObject({ events: [], state: { keys: [{ title: 'laptop' }] } });
    expect(await titles(service)).toEqual(['laptop']);
  });

  it('runs once if another process runs it at the same time, and both have the stored events', async () => {
    const { service, counted } = serviceWithOneRival((other) => add(other, 'theirs', again));
    expect(await add(service, 'ours', again)).toMatchObject({
      events: [added('theirs')],
      state: { keys: [{ title: 'theirs' }] },
    });
    expect(await titles(service)).toEqual(['theirs']);
    expect(counted.appends).toBe(1);
  });

  it('runs once if another process runs it at the same time on another stream', async () => {
    const request = { commandId: 'request-1', requestHash: 'create ann' };
    const create = (service: EmbeddedService, accountId: number) =>
      service.runner.run(accountStream(accountId), register('ann', { accountId }), { ...context, ...request });
    const { service } = serviceWithOneRival((other) => create(other, 8));
    await create(service, 7);
    expect((await accountState(service, 7)).status).toBe('absent');
    expect((await accountState(service, 8)).status).toBe('active');
    expect((await service.readModels.list(accounts, 0, 10)).total).toBe(1);
  });

  it('is refused for a request with another hash, and for the same one is not', async () => {
    const service = new EmbeddedService();
    await add(service, 'laptop', { ...again, requestHash: 'one' });
    await add(service, 'phone', { ...again, requestHash: 'one' });
    await expect(add(service, 'desk', { ...again, requestHash: 'other' })).rejects.toThrow(CommandIdReused);
    expect(await titles(service)).toEqual(['laptop']);
  });
});

it('a command that was planned on a version of its stream is not decided on a later one', async () => {
  const service = new EmbeddedService();
  await add(service, 'laptop', { ...context, version: 0 });
  await expect(add(service, 'phone', { ...context, version: 0 })).rejects.toThrow(Contended);
  await add(service, 'phone', { ...context, version: 1 });
  expect(await titles(service)).toEqual(['laptop', 'phone']);
});

describe('the document of a listed stream', () => {
  it('is up to date when the command ends', async () => {
    const service = new EmbeddedService();
    await registerAccount(service, 7, 'ann');
    expect(await service.readModels.list(accounts, 0, 10)).toMatchObject({ items: [{ username: 'ann' }], total: 1 });
  });

  it('is updated later if it cannot be written, and the command still succeeds', async () => {
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

  it('is not written for streams without a list', async () => {
    const calls: string[] = [];
    const service = new EmbeddedService(undefined, (call) => void calls.push(call));
    await add(service, 'laptop');
    expect(calls).not.toContain('ReadModelStore.put');
  });
});

it.each(['EventStore.append', 'EventStore.readStreams'])(
  'a failure of %s rejects one command and does not affect the next',
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
