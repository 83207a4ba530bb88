import { outgoingMessage, publicEventsOf } from '@keyfold/messaging/events';
import type { CommitFeed, EventStore, NewCommit } from '@keyfold/event-store';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

type Happening = Readonly<{ stream: string; events: readonly { type: string; data: object }[] }>;

const AT = Date.UTC(2026, 0, 15, 12);
/** So many commits of an account follow each other closely: their order is what faults may break. */
const OF_ONE_ACCOUNT = 4;
/** A share is appended in so many bursts, with some time between them, so that faults come in between. */
const BURSTS = 8;
const BETWEEN_BURSTS = 200;
/** What goes on being appended when the share is used up and the fault lasts. */
const TRICKLE = 8;

/** Accounts to which things happen: keys, uses of keys, changes and matters that nobody is told of, several streams each. */
export class EventFlow {
  /** Public events that were appended. */
  told = 0;
  readonly #versions = new Map<string, number>();
  /** The last append of each account. */
  readonly #appending = new Map<number, Promise<void>>();

  constructor(
    private readonly store: EventStore,
    private readonly accounts: number,
    private readonly random: () => number,
  ) {}

  /** Appends about `events` public events in bursts, and goes on in a trickle until `meanwhile` is over. */
  async during(events: number, meanwhile: Promise<void>): Promise<void> {
    const until = this.told + events;
    let isOver = false;
    const over = meanwhile.finally(() => (isOver = true));
    // Thrown below.
    over.catch(() => undefined);
    while (this.told < until || !isOver) {
      const left = until - this.told;
      await this.burst(left > 0 ? Math.min(left, Math.ceil(events / BURSTS)) : TRICKLE);
      if (left > 0 || !isOver) await pause(BETWEEN_BURSTS);
    }
    await over;
  }

  /** Appends so many commits, those of an account behind each other and accounts side by side. */
  async burst(commits: number): Promise<void> {
    const lines = Array.from({ length: Math.ceil(commits / OF_ONE_ACCOUNT) }, (_, index) => {
      const account = 1 + Math.floor(this.random() * this.accounts);
      const count = Math.min(OF_ONE_ACCOUNT, commits - index * OF_ONE_ACCOUNT);
      return this.#behindOthers(account, count);
    });
    await Promise.all(lines);
  }

  #behindOthers(account: number, count: number): Promise<void> {
    const happenings = Array.from({ length: count }, () => happeningOf(account, this.random()));
    const before = this.#appending.get(account) ?? Promise.resolve();
    const appending = before.then(async () => {
      for (const happening of happenings) await this.#append(String(account), happening);
    });
    this.#appending.set(account, appending);
    return appending;
  }

  async #append(partition: string, { stream, events }: Happening): Promise<void> {
    const version = (this.#versions.get(stream) ?? 0) + 1;
    this.#versions.set(stream, version);
    const { commit } = await this.store.append({
      stream,
      partition,
      version,
      command: { id: randomUUID(), type: 'Test', hash: 'hash' },
      at: AT,
      actor: 'test',
      correlation: 'test',
      events: events.map((event) => ({ ...event, v: 1 })) as NewCommit['events'],
    });
    this.told += publicEventsOf(commit).length;
  }
}

function happeningOf(account: number, choice: number): Happening {
  const keyId = account * 2 ** 20;
  const permission = Math.floor(choice * 1_000);
  if (choice < 0.3) {
    const used = { type: 'SshKeyUsed', data: { keyId, usedAt: AT } };
    return { stream: `ssh-key-use-${account}`, events: [used] };
  }
  if (choice < 0.6) {
    const removed = { type: 'SshKeyRemoved', data: { keyId, fingerprint: 'SHA256:k1lHAp' } };
    return { stream: `ssh-keys-${account}`, events: [removed] };
  }
  const stream = `account-${account}`;
  const changed = { type: 'PermissionsChanged', data: { permission } };
  if (choice < 0.8) return { stream, events: [changed] };
  if (choice < 0.9) return { stream, events: [changed, { type: 'AccountDisabled', data: {} }] };
  return { stream, events: [{ type: 'TwoFactorLocked', data: { failures: 100 } }] };
}

const PAGE = 1_000;

/** The ids of all public events of the store, by account, in the order of the store. */
export async function toldEvents(feed: CommitFeed): Promise<Map<string, string[]>> {
  const told = new Map<string, string[]>();
  for (const [slot, head] of await feed.readHeads()) {
    for (let position = 0; position < head;) {
      const commits = await feed.readFeed(slot, position, PAGE);
      if (commits.length === 0) throw new Error(`slot ${slot} cannot be read behind position ${position}`);
      for (const commit of commits) {
        const ids = publicEventsOf(commit).map((event) => outgoingMessage(event).id);
        if (ids.length > 0) told.set(commit.partition, [...(told.get(commit.partition) ?? []), ...ids]);
      }
      position += commits.length;
    }
  }
  return told;
}
