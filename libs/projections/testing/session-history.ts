import type { Commit, NewCommit } from '@keyfold/event-store';
import { appendOne } from '../../event-store/testing/outcome.js';
import { randomUUID } from 'node:crypto';
import { registered } from '../../domain/testing/account.events.js';
import { loggedOut, sessionStarted } from '../../domain/testing/session.events.js';
import { accountStream, sessionStream, type StreamRef } from '../src/loading/stream-ref.js';
import { SessionCompaction, type CompactionParts } from '../src/retention/session-compaction.js';
import type { AnyEvent } from './append-commit.js';
import { verify, type Backend } from './verified.js';

export const DAY = 86_400_000;
/** Default time of compaction, in unix milliseconds. */
export const NOW = Date.UTC(2026, 0, 15);
/** Names of the relays to RabbitMQ and to OpenList in these histories. */
export const RELAY = 'relay';
export const MIRROR = 'openlist';
/** Name of the leases of turns at OpenList. */
export const TURNS = 'openlist-turns';

/** Writes accounts and sessions at past times, and compacts them. */
export class SessionHistory {
  /** Current time of all clocks, in unix milliseconds. */
  now = NOW;
  readonly parked: { partition: string; position: number }[] = [];
  readonly #versions = new Map<string, number>();

  constructor(
    readonly backend: Backend,
    private readonly sessionDays = 90,
  ) {}

  /** Appends a login `daysAgo`, with a token valid for `tokenDays`. */
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
    this.#versions.set(stream, version);
    return appendOne(this.backend.store, { stream, partition, version, ...rest });
  }

  /** Updates all documents, as a worker would. */
  async project(): Promise<void> {
    const projector = this.backend.newProjector();
    await projector.catchUp();
    await projector.stop();
  }

  get parts(): CompactionParts {
    const { store, readModels, leases: all } = this.backend;
    const leases = {
      readers: () => all.readers(),
      progress: (reader: string) => all.progress(reader),
      now: async () => this.now,
    };
    const relay = { name: RELAY, leases: all, parked: { all: async () => this.parked } };
    const mirror = { name: MIRROR, turns: TURNS, parked: { all: async () => [] } };
    const readers = { leases, relay, mirror };
    return { store, compaction: store, readModels, readers, sessionDays: this.sessionDays, now: () => this.now };
  }

  /** Returns unix milliseconds of a whole second. */
  #timeOf(daysAgo: number): number {
    return this.now - Math.round((daysAgo * DAY) / 1_000) * 1_000;
  }

  /** Compacts everything that is due, page by page, in all slots. */
  async compact(parts = this.parts, page = 500): Promise<SessionCompaction['count']> {
    const compaction = new SessionCompaction(parts);
    const { store: feed } = this.backend;
    for (const [slot, head] of await feed.readHeads()) {
      for (let position = 0; position < head; position += page) {
        await compaction.compactPage(slot, await feed.readFeed(slot, position, page));
      }
    }
    return compaction.count;
  }

  /** Returns the problems that verification reports. */
  async problems(): Promise<string[]> {
    return (await verify(this.backend, true, 10_000)).problems;
  }

  /** Moves the checkpoint of the relay, which is not running. */
  async relayed(slot: number, position: number): Promise<void> {
    const [lease] = await this.backend.leases.take(RELAY, 'relay', [slot], 60_000);
    await this.backend.leases.advance(lease!, position);
    await this.backend.leases.release([lease!]);
  }
}
