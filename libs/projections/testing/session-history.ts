import type { Commit, CommitFeed, EventStore, FeedLeases, NewCommit, StreamCompaction } from '@keyfold/event-store';
import { randomUUID } from 'node:crypto';
import { registered } from '../../domain/testing/account.events.js';
import { loggedOut, sessionStarted } from '../../domain/testing/session.events.js';
import type { Projector } from '../src/projector.js';
import type { ReadModelStore } from '../src/read-model-store.js';
import { accountStream, sessionStream, type StreamRef } from '../src/stream-ref.js';
import { SessionCompaction, type CompactionParts } from '../src/retention/session-compaction.js';
import { Verification } from '../src/verification/verification.js';
import type { AnyEvent } from './append-commit.js';

export const DAY = 86_400_000;
/** When these histories are compacted, unless one sets another time, in unix milliseconds. */
export const NOW = Date.UTC(2026, 0, 15);
/** The relay that these histories may have. */
export const RELAY = 'relay';

/** What a history is written to, on either store. */
export type Shelf = Readonly<{
  store: EventStore & CommitFeed & StreamCompaction;
  readModels: ReadModelStore;
  leases: FeedLeases;
  newProjector(): Projector;
}>;

/** Accounts and sessions at times of the past, and what may be done to them; ids and accounts are the caller's. */
export class SessionHistory {
  /** What the clocks show, in unix milliseconds. */
  now = NOW;
  readonly parked: { partition: string; position: number }[] = [];
  readonly #versions = new Map<string, number>();

  constructor(
    readonly shelf: Shelf,
    private readonly sessionDays = 90,
  ) {}

  /** A login so many days ago, with a token for so many days. */
  logIn(id: string, account: number, daysAgo: number, tokenDays = 2): Promise<Commit> {
    const startedAt = this.#timeOf(daysAgo) / 1_000;
    const times = { startedAt, expiresAt: startedAt + (tokenDays * DAY) / 1_000 };
    return this.append(
      sessionStream(id, account),
      daysAgo,
      sessionStarted({ sessionId: id, accountId: account, ...times }),
    );
  }

  logOut(id: string, account: number, daysAgo: number): Promise<Commit> {
    return this.append(sessionStream(id, account), daysAgo, loggedOut);
  }

  register(account: number, daysAgo: number): Promise<Commit> {
    return this.append(accountStream(account), daysAgo, registered(`account ${account}`, { accountId: account }));
  }

  async append({ stream, partition }: StreamRef<unknown>, daysAgo: number, event: AnyEvent): Promise<Commit> {
    const version = (this.#versions.get(stream) ?? 0) + 1;
    const command = { id: randomUUID(), type: 'Test', hash: 'hash' };
    const rest = {
      command,
      at: this.#timeOf(daysAgo),
      actor: 'test',
      correlation: 'test',
      events: [event] as NewCommit['events'],
    };
    const { commit } = await this.shelf.store.append({ stream, partition, version, ...rest });
    this.#versions.set(stream, version);
    return commit;
  }

  /** Brings all documents up to date, as a worker would. */
  async project(): Promise<void> {
    const projector = this.shelf.newProjector();
    await projector.catchUp();
    await projector.stop();
  }

  get parts(): CompactionParts {
    const { store, readModels, leases: all } = this.shelf;
    const leases = {
      readers: () => all.readers(),
      progress: (reader: string) => all.progress(reader),
      now: async () => this.now,
    };
    const relay = { name: RELAY, leases: all, parked: { all: async () => this.parked } };
    const readers = { leases, relay };
    return { store, compaction: store, readModels, readers, sessionDays: this.sessionDays, now: () => this.now };
  }

  /** In unix milliseconds, on a whole second. */
  #timeOf(daysAgo: number): number {
    return this.now - Math.round((daysAgo * DAY) / 1_000) * 1_000;
  }

  /** Compacts whatever is due now, page by page, from the beginning of all slots. */
  async compact(parts = this.parts, page = 500): Promise<SessionCompaction['count']> {
    const compaction = new SessionCompaction(parts);
    const { store: feed } = this.shelf;
    for (const [slot, head] of await feed.readHeads()) {
      for (let position = 0; position < head; position += page) {
        await compaction.compactPage(slot, await feed.readFeed(slot, position, page));
      }
    }
    return compaction.count;
  }

  /** What verification finds. */
  async problems(): Promise<string[]> {
    const found: string[] = [];
    const { store, readModels, leases } = this.shelf;
    const verification = new Verification({ store, feed: store, readModels, isSettled: true }, leases);
    await verification.run(async (problem) => void found.push(problem), new AbortController().signal);
    return found;
  }

  /** The relay has read a slot up to a position; nobody runs it now. */
  async relayed(slot: number, position: number): Promise<void> {
    const [lease] = await this.shelf.leases.take(RELAY, 'relay', [slot], 60_000);
    await this.shelf.leases.advance(lease!, position);
    await this.shelf.leases.release([lease!]);
  }
}
