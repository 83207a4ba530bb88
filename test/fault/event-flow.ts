import { outgoingMessage, publicEventsOf } from '@keyfold/messaging/events';
import type { CommitFeed, EventStore, NewCommit } from '@keyfold/event-store';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

type Change = Readonly<{ stream: string; events: readonly { type: string; data: object }[] }>;

const AT = Date.UTC(2026, 0, 15, 12);
/** Appends this many commits of an account in close succession, because faults may break their order. */
const OF_ONE_ACCOUNT = 4;
/** Splits a share into this many bursts with pauses, so that faults happen between them. */
const BURSTS = 8;
const BETWEEN_BURSTS = 200;
/** The commits of each burst after the share is used up, while the fault lasts. */
const TRICKLE = 8;

/** Appends events of many accounts: keys, uses of keys, changes and unpublished events, in several streams each. */
export class EventFlow {
  /** The number of public events appended. */
  published = 0;
  readonly #versions = new Map<string, number>();
  /** The last append of each account. */
  readonly #appending = new Map<number, Promise<void>>();

  constructor(
    private readonly store: EventStore,
    private readonly accounts: number,
    private readonly random: () => number,
  ) {}

  /** Appends about `events` public events in bursts, then a trickle until `meanwhile` settles. */
  async during(events: number, meanwhile: Promise<void>): Promise<void> {
    const until = this.published + events;
    let isOver = false;
    const over = meanwhile.finally(() => (isOver = true));
    // Rethrown below.
    over.catch(() => undefined);
    while (this.published < until || !isOver) {
      const left = until - this.published;
      await this.burst(left > 0 ? Math.min(left, Math.ceil(events / BURSTS)) : TRICKLE);
      if (left > 0 || !isOver) await sleep(BETWEEN_BURSTS);
    }
    await over;
  }

  /** Appends commits, sequentially within an account and in parallel across accounts. */
  async burst(commits: number): Promise<void> {
    const appends = Array.from({ length: Math.ceil(commits / OF_ONE_ACCOUNT) }, (_, index) => {
      const account = 1 + Math.floor(this.random() * this.accounts);
      const count = Math.min(OF_ONE_ACCOUNT, commits - index * OF_ONE_ACCOUNT);
      return this.#appendInOrder(account, count);
    });
    await Promise.all(appends);
  }

  #appendInOrder(account: number, count: number): Promise<void> {
    const changes = Array.from({ length: count }, () => changeOf(account, this.random()));
    const before = this.#appending.get(account) ?? Promise.resolve();
    const appending = before.then(async () => {
      for (const change of changes) await this.#append(String(account), change);
    });
    this.#appending.set(account, appending);
    return appending;
  }

  async #append(partition: string, { stream, events }: Change): Promise<void> {
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
    this.published += publicEventsOf(commit).length;
  }
}

function changeOf(account: number, choice: number): Change {
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

/** Returns the ids of all public events in the store, by account and in feed order. */
export async function publicEventIds(feed: CommitFeed): Promise<Map<string, string[]>> {
  const ids = new Map<string, string[]>();
  for (const [slot, head] of await feed.readHeads()) {
    for (let position = 0; position < head;) {
      const commits = await feed.readFeed(slot, position, PAGE);
      if (commits.length === 0) throw new Error(`slot ${slot} cannot be read after position ${position}`);
      for (const commit of commits) {
        const ofCommit = publicEventsOf(commit).map((event) => outgoingMessage(event).id);
        if (ofCommit.length > 0) ids.set(commit.partition, [...(ids.get(commit.partition) ?? []), ...ofCommit]);
      }
      position += commits.length;
    }
  }
  return ids;
}
