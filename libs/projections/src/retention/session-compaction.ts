import { sessionAggregate } from '@keyfold/domain';
import { compactedStreamOf, type Commit, type EventStore, type StreamCompaction } from '@keyfold/event-store';
import { foldCommits, UnfoldableStream, type Loaded } from '../loading/fold.js';
import type { StreamRef } from '../loading/stream-ref.js';
import type { ReadModelStore } from '../read-model-store.js';
import { doneUpTo, type ReadersBehind } from './readers-behind.js';

const DAY = 86_400_000;
/** Minimum age in milliseconds. The clocks of gateways may differ, but not by an hour. */
const MINIMUM_AGE = 3_600_000;
/** Maximum number of streams in one write; limits its duration. */
const COMPACTED_TOGETHER = 100;

export type CompactionParts = Readonly<{
  store: EventStore;
  compaction: StreamCompaction;
  readModels: ReadModelStore;
  readers: ReadersBehind;
  /** Days to keep a session after its token has expired. */
  sessionDays: number;
  /** Unix milliseconds. If the clock of the store is behind, that one counts. */
  now(): number;
}>;

/** `waiting`: sessions that are due, but that some reader has not passed yet. */
export type CompactedCount = { sessions: number; commits: number; waiting: number };

/** The result of a page: everything up to the position `upTo` is done for good. `isYoung`: no later page can contain sessions that are due. */
export type CompactedPage = Readonly<{ upTo: number; isYoung: boolean }>;

/** The status of a session that begins on the page. `void`: it is already compacted. `unreadable`: it cannot be folded. */
type SessionStatus = 'due' | 'void' | 'kept' | 'waiting' | 'unreadable';

/**
 * Compacts sessions whose tokens expired long ago: their commits become void, then their documents are removed. A crash in between leaves
 * documents of void sessions, which verification tolerates and the next pass removes. Logged-out sessions are kept just as long: until the
 * token has expired, no answer may depend on what was removed.
 */
export class SessionCompaction {
  readonly count: CompactedCount = { sessions: 0, commits: 0, waiting: 0 };

  constructor(
    private readonly parts: CompactionParts,
    /** Counts only. */
    private readonly dryRun = false,
  ) {}

  /**
   * Compacts the sessions that are due on a page of a slot's feed; calls `goOn` before each write. Sessions after one that must stay are
   * compacted too, and checked again together with it. Throws `StoreUnavailable`.
   */
  async compactPage(slot: number, page: readonly Commit[], goOn: () => boolean = () => true): Promise<CompactedPage> {
    const limit = (await this.#now()) - Math.max(this.parts.sessionDays * DAY, MINIMUM_AGE);
    // Up to the last old commit: times are not in order if clocks differ, and a clock that was ahead must not block the slot.
    const old = page.slice(0, page.findLastIndex(({ at }) => at <= limit) + 1);
    const begun = old.filter(
      ({ stream, version }) => version === 1 && stream.startsWith(sessionAggregate.streamPrefix),
    );
    const statuses = await this.#judge(slot, begun, limit);
    const removed = await this.#compact(streamsThat('due', statuses), goOn);
    this.count.waiting += streamsThat('waiting', statuses).length;
    const voided = [...old.flatMap(({ stream }) => voidedSession(stream) ?? []), ...streamsThat('void', statuses)];
    if (!this.dryRun) await this.#removeDocuments(voided);
    const first = begun.find(({ stream }) => !removed.has(stream) && staysFor(statuses.get(stream)));
    return {
      upTo: (first ?? page[old.length] ?? { position: endOf(page) + 1 }).position - 1,
      isYoung: old.length < page.length,
    };
  }

  /** The earlier of two clocks, because compaction cannot be undone. */
  async #now(): Promise<number> {
    return Math.min(this.parts.now(), await this.parts.readers.leases.now());
  }

  async #judge(slot: number, begun: readonly Commit[], limit: number): Promise<Map<string, SessionStatus>> {
    if (begun.length === 0) return new Map();
    const isDone = await doneUpTo(this.parts.readers, slot);
    const commits = await this.parts.store.readStreams(begun.map(({ stream }) => ({ stream, version: 0 })));
    const streams = Map.groupBy(commits, ({ stream }) => stream);
    return new Map(
      begun.map(({ stream, partition }) => {
        const whole = streams.get(stream) ?? [];
        const status = statusOf(whole, limit);
        const waits = status === 'due' && whole.some(({ position }) => position > isDone(partition));
        return [stream, waits ? 'waiting' : status];
      }),
    );
  }

  /** Returns the streams that are void now. */
  async #compact(due: readonly string[], goOn: () => boolean): Promise<Set<string>> {
    const removed = new Set<string>();
    for (let from = 0; from < due.length && goOn(); from += COMPACTED_TOGETHER) {
      const some = due.slice(from, from + COMPACTED_TOGETHER);
      if (!this.dryRun) {
        this.count.commits += await this.parts.compaction.compact(some);
        await this.#removeDocuments(some);
      }
      this.count.sessions += some.length;
      for (const stream of some) removed.add(stream);
    }
    return removed;
  }

  async #removeDocuments(streams: readonly string[]): Promise<void> {
    const { readModels } = this.parts;
    const refs = streams.map(refOf);
    const documents = refs.length > 0 ? await readModels.get(refs) : new Map<string, Loaded<unknown>>();
    await Promise.all(
      refs.flatMap((ref) => {
        const document = documents.get(ref.stream);
        return document ? [readModels.remove(ref, document.version)] : [];
      }),
    );
  }
}

/** A session that cannot be folded is kept forever, rather than blocking all others. */
function statusOf(whole: readonly Commit[], limit: number): SessionStatus {
  try {
    const { state, version } = foldCommits(sessionAggregate, whole);
    if (version === 0) return 'void';
    return state.expiresAt * 1_000 <= limit ? 'due' : 'kept';
  } catch (error) {
    if (error instanceof UnfoldableStream) return 'unreadable';
    throw error;
  }
}

/** Whether a session has to be checked again. */
const staysFor = (status: SessionStatus | undefined) => status !== 'void' && status !== 'unreadable';

const streamsThat = (wanted: SessionStatus, statuses: ReadonlyMap<string, SessionStatus>) =>
  [...statuses].filter(([, status]) => status === wanted).map(([stream]) => stream);

const endOf = (page: readonly Commit[]) => page.at(-1)?.position ?? 0;

function voidedSession(name: string): string | undefined {
  const stream = compactedStreamOf(name);
  return stream?.startsWith(sessionAggregate.streamPrefix) ? stream : undefined;
}

/** Documents are identified by their stream alone, so the partition does not matter. */
const refOf = (stream: string): StreamRef<unknown> => ({ stream, partition: stream, aggregate: sessionAggregate });
