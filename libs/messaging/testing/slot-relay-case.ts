import type { Commit, CommitFeed, EventStore, NewCommit } from '@keyfold/event-store';
import { UnsendableMessage } from '../src/publishing.js';
import { MessageOutlet } from '../src/relay/message-outlet.js';
import { SlotRelay } from '../src/relay/slot-relay.js';
import { ModelParkedAccounts } from './model-parked-accounts.js';
import { modelMessagesOf, ModelPublisher, type Fate } from './model-publisher.js';

/** Creates a slot with one commit for each name in `accounts`, and relays that have just taken it. */
export async function givenIn(
  store: EventStore & CommitFeed & Readonly<{ commits: readonly Commit[] }>,
  newCommit: (stream: string, version: number, details: Partial<NewCommit>) => NewCommit,
  accounts: readonly string[],
) {
  const parked = new ModelParkedAccounts();
  const time = { now: 0 };
  const fates = new Map<string, Fate>();
  const unknown = new Set<string>();
  const publisher = new ModelPublisher(({ id }) => fates.get(id) ?? 'confirmed');
  const append = async (account: string, events = 1) => {
    const version = store.commits.filter(({ stream }) => stream === account).length + 1;
    const stored = Array.from({ length: events }, () => ({ type: 'Renamed', v: 1, data: {} }));
    await store.append(newCommit(account, version, { partition: account, events: stored, at: version * 1_000 }));
  };
  for (const account of accounts) await append(account);
  const messagesOf = (commit: Commit) => {
    if (unknown.has(`${commit.stream}:${commit.version}`)) throw new UnsendableMessage('unknown event');
    return modelMessagesOf(commit);
  };
  const outlet = new MessageOutlet(publisher, messagesOf, { now: () => time.now });
  const newRelay = (epoch = 1) =>
    new SlotRelay(0, epoch, {
      feed: store,
      outlet,
      parked,
      onParked: () => undefined,
      clock: () => 77,
      now: () => time.now,
      pageTimeout: 5_000,
    });
  const pageBehind = (position: number): Promise<Commit[]> => store.readFeed(0, position, 500);
  return { store, parked, outlet, time, fates, unknown, publisher, append, newRelay, pageBehind };
}

/** A slot that is never lost. */
export const always = () => true;

/** Returns the id of the first message of each commit in a list like `a:1 b:1`. */
export const idsOf = (names: string) => names.split(' ').map((name) => `${name}:0`);
