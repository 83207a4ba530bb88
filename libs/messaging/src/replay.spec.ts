import type { Commit, NewCommit } from '@keyfold/event-store';
import { setImmediate as iteration } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ModelEventStore } from '../../event-store/testing/model-event-store.js';
import { newCommand } from '../../event-store/testing/new-commit.js';
import { goldenEvent } from '../testing/golden-commits.js';
import { messagesOf } from './public-events/translation.js';
import { EventPublisher, MessageRefused, type OutgoingMessage } from './publishing.js';
import { Replay, REPLAY_HEADER, type ReplaySelection } from './replay.js';

const HOUR = 3_600_000;
const [added, used] = [goldenEvent('SshKeyAdded.v1'), goldenEvent('SshKeyUsed.v1')];

/** Takes messages for one queue, each after one iteration. */
class ModelQueue extends EventPublisher {
  readonly isReady = true;
  readonly problem = undefined;
  readonly stall = undefined;
  readonly taken: OutgoingMessage[] = [];
  readonly inFlight = new Map<string, number>();
  mostInFlightOfOne = 0;
  refuses: (message: OutgoingMessage) => boolean = () => false;

  onReady = () => () => {};
  publish = async () => expect.fail('a replay must use publishTo');

  async publishTo(queue: string, message: OutgoingMessage): Promise<void> {
    expect(queue).toBe('late');
    const account = message.headers['cloudEvents_partitionkey']!;
    const now = (this.inFlight.get(account) ?? 0) + 1;
    this.inFlight.set(account, now);
    this.mostInFlightOfOne = Math.max(this.mostInFlightOfOne, now);
    await iteration();
    this.inFlight.set(account, now - 1);
    if (this.refuses(message)) throw new MessageRefused('the queue is full');
    this.taken.push(message);
  }
}

/** Each account adds a key and uses it an hour later. */
async function storeOf(accounts: number, ...more: Partial<NewCommit>[]): Promise<ModelEventStore> {
  const store = new ModelEventStore(4);
  const append = (commit: Pick<NewCommit, 'partition' | 'stream' | 'at' | 'events'> & Partial<NewCommit>) =>
    store.append({ version: 1, command: newCommand(), actor: 'test', correlation: 'test', ...commit });
  const ids = Array.from({ length: accounts }, (_, index) => String(index + 1));
  for (const id of ids) await append({ partition: id, stream: `ssh-keys-${id}`, at: 0, events: [added] });
  for (const id of ids) await append({ partition: id, stream: `ssh-key-use-${id}`, at: HOUR, events: [used] });
  for (const commit of more) await append({ partition: '1', stream: 'more', at: 0, events: [], ...commit });
  return store;
}

function replayOf(store: ModelEventStore, selection: ReplaySelection = {}, queue?: ModelQueue) {
  const unsendable: Commit[] = [];
  const replay = new Replay(
    {
      feed: store,
      messagesOf,
      onUnsendable: async (commit) => void unsendable.push(commit),
    },
    selection,
    queue && { publisher: queue, queue: 'late', run: 'run-1' },
  );
  return { replay, unsendable };
}

async function replayed(selection: ReplaySelection, accounts = 3): Promise<string[]> {
  const queue = new ModelQueue();
  await replayOf(await storeOf(accounts), selection, queue).replay.run(new AbortController().signal);
  return queue.taken.map(({ id }) => id).toSorted();
}

describe('a replay', () => {
  it('sends everything to one queue, marked with its id, one message of an account at a time', async () => {
    const queue = new ModelQueue();
    const { replay } = replayOf(await storeOf(20), {}, queue);
    await replay.run(new AbortController().signal);
    expect(Object.fromEntries(replay.counts)).toEqual({ 'ssh-key.added': 20, 'ssh-key.used': 20 });
    expect(new Set(queue.taken.map(({ headers }) => headers[REPLAY_HEADER]))).toEqual(new Set(['run-1']));
    const accounts = Map.groupBy(queue.taken, ({ headers }) => headers['cloudEvents_partitionkey']);
    for (const messages of accounts.values())
      expect(messages.map(({ type }) => type)).toEqual(['ssh-key.added', 'ssh-key.used']);
    expect(accounts.size).toBe(20);
    expect(queue.mostInFlightOfOne).toBe(1);
  });

  it.each<[string, ReplaySelection, string[]]>([
    ['a type', { types: ['ssh-key.used'] }, ['ssh-key-use-1:1:0', 'ssh-key-use-2:1:0', 'ssh-key-use-3:1:0']],
    ['an account', { account: 2 }, ['ssh-key-use-2:1:0', 'ssh-keys-2:1:0']],
    ['events from a time on', { from: HOUR, account: 1 }, ['ssh-key-use-1:1:0']],
    ['events before a time', { to: HOUR, account: 1 }, ['ssh-keys-1:1:0']],
    ['an account without events', { account: 9 }, []],
  ])('can be limited to %s', async (_, selection, ids) => {
    expect(await replayed(selection)).toEqual(ids);
  });

  it('reads several pages', async () => {
    expect(await replayed({}, 1_500)).toHaveLength(3_000);
  });

  it('without a target counts events but sends none', async () => {
    const { replay } = replayOf(await storeOf(3), { types: ['ssh-key.added'] });
    await replay.run(new AbortController().signal);
    expect(replay.counts).toEqual(new Map([['ssh-key.added', 3]]));
  });

  it('stops when the queue refuses a message, before later ones of that account', async () => {
    const queue = new ModelQueue();
    queue.refuses = ({ id }) => id === 'ssh-keys-2:1:0';
    const { replay } = replayOf(await storeOf(3), {}, queue);
    await expect(replay.run(new AbortController().signal)).rejects.toBeInstanceOf(MessageRefused);
    expect(queue.taken.map(({ id }) => id)).not.toContain('ssh-key-use-2:1:0');
  });

  it('skips and reports commits that cannot be translated', async () => {
    const store = await storeOf(1, { events: [{ type: 'KeyForged', v: 1, data: {} }] });
    const { replay, unsendable } = replayOf(store, {}, new ModelQueue());
    await replay.run(new AbortController().signal);
    expect(replay.unsendable).toBe(1);
    expect(unsendable.map(({ stream }) => stream)).toEqual(['more']);
    expect([...replay.counts.values()]).toEqual([1, 1]);
  });

  it('skips and counts compacted commits', async () => {
    const store = await storeOf(2, { stream: 'session-1', partition: '1', at: HOUR });
    await store.compact(['session-1', 'ssh-keys-2']);
    const { replay } = replayOf(store);
    await replay.run(new AbortController().signal);
    expect(replay.compacted).toBe(2);
    expect(replay.unsendable).toBe(0);
    expect([...replay.counts.values()].reduce((sum, count) => sum + count, 0)).toBe(3);
    const { replay: later } = replayOf(store, { from: HOUR });
    await later.run(new AbortController().signal);
    expect(later.compacted).toBe(1);
  });

  it('stops when it is aborted', async () => {
    const { replay } = replayOf(await storeOf(1), {}, new ModelQueue());
    await expect(replay.run(AbortSignal.abort(new Error('interrupted')))).rejects.toThrow('interrupted');
  });
});
