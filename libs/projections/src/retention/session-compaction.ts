import { compactedStreamOf, type Commit, type EventStore, type StreamCompaction } from '@keyfold/event-store';
import { foldCommit, initialOf, UnfoldableStream, type Loaded } from '../fold.js';
import type { ReadModelStore } from '../read-model-store.js';
import type { StreamRef } from '../stream-ref.js';
import { sessionAggregate } from '@keyfold/domain';
import { doneUpTo, type ReadersBehind } from './readers-behind.js';

const DAY = 86_400_000;
/** Clocks of gateways may differ; by an hour they do not. */
const LEAST = 3_600_000;
/** Streams that are compacted together, at most: how long one write takes. */
const COMPACTED_TOGETHER = 100;

export type CompactionParts = Readonly<{
  store: EventStore;
  compaction: StreamCompaction;
  readModels: ReadModelStore;
  readers: ReadersBehind;
  /** How long sessions are kept after their token has expired. */
  sessionDays: number;
  /** Unix milliseconds; where the clock of the store is behind, that one counts. */
  now(): number;
}>;

/** `waiting`: sessions that are due and that some reader has not passed yet. */
export type CompactedCount = { sessions: number; commits: number; waiting: number };

/** How far a page was dealt with: what is up to `upTo` need never be looked at again. `isYoung`: nothing behind the page can be due. */
export type CompactedPage = Readonly<{ upTo: number; isYoung: boolean }>;

/** What is to be done about a session whose first commit is on the page. `void`: another process was quicker. */
type Verdict = 'due' | 'void' | 'kept' | 'waits' | 'passed over';

/**
 * Removes what is kept of sessions whose tokens have expired long ago: their commits become void, then their documents go. A crash in
 * between leaves documents of sessions that are void, which verification knows and the next look at the page removes. Whether a
 * session was logged out makes no difference: until its token has expired, an answer must never depend on what was removed.
 */
export class SessionCompaction {
  readonly count: CompactedCount = { sessions: 0, commits: 0, waiting: 0 };

  constructor(
    private readonly parts: CompactionParts,
    /** Only counts. */
    private readonly dryRun = false,
  ) {}

  /**
   * Deals with a page of the feed of a slot; `goOn` is asked before each write. Sessions behind one that must stay are compacted all
   * the same, and looked at again with it. Throws `StoreUnavailable`.
   */
  async compactPage(slot: number, page: readonly Commit[], goOn: () => boolean = () => true): Promise<CompactedPage> {
    const limit = (await this.#now()) - Math.max(this.parts.sessionDays * DAY, LEAST);
    // The last old one: times of gateways whose clocks differ do not ascend, and one that was ahead must not hold up the slot.
    const old = page.slice(0, page.findLastIndex(({ at }) => at <= limit) + 1);
    const begun = old.filter(
      ({ stream, version }) => version === 1 && stream.startsWith(sessionAggregate.streamPrefix),
    );
    const verdicts = await this.#judge(slot, begun, limit);
    const removed = await this.#compact(streamsThat('due', verdicts), goOn);
    this.count.waiting += streamsThat('waits', verdicts).length;
    const voided = [...old.flatMap(({ stream }) => voidedSession(stream) ?? []), ...streamsThat('void', verdicts)];
    if (!this.dryRun) await this.#removeDocuments(voided);
    const first = begun.find(({ stream }) => !removed.has(stream) && staysFor(verdicts.get(stream)));
    return {
      upTo: (first ?? page[old.length] ?? { position: endOf(page) + 1 }).position - 1,
      isYoung: old.length < page.length,
    };
  }

  /** A clock of one process that is ahead must not make live sessions old: there is no way back. */
  async #now(): Promise<number> {
    return Math.min(this.parts.now(), await this.parts.readers.leases.now());
  }

  async #judge(slot: number, begun: readonly Commit[], limit: number): Promise<Map<string, Verdict>> {
    if (begun.length === 0) return new Map();
    const isDone = await doneUpTo(this.parts.readers, slot);
    const commits = await this.parts.store.readStreams(begun.map(({ stream }) => ({ stream, version: 0 })));
    const streams = Map.groupBy(commits, ({ stream }) => stream);
    return new Map(
      begun.map(({ stream, partition }) => {
        const whole = streams.get(stream) ?? [];
        const verdict = verdictOn(whole, limit);
        const waits = verdict === 'due' && whole.some(({ position }) => position > isDone(partition));
        return [stream, waits ? 'waits' : verdict];
      }),
    );
  }

  /** Answers the streams that are void now. */
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

/** What nobody can fold stays as it is for ever, rather than holding up all others. */
function verdictOn(whole: readonly Commit[], limit: number): Verdict {
  try {
    const { state, version } = whole.reduce(
      (loaded, commit) => foldCommit(sessionAggregate, loaded, commit),
      initialOf(sessionAggregate),
    );
    if (version === 0) return 'void';
    return state.expiresAt * 1_000 <= limit ? 'due' : 'kept';
  } catch (error) {
    if (error instanceof UnfoldableStream) return 'passed over';
    throw error;
  }
}

/** Whether a session has to be looked at again. */
const staysFor = (verdict: Verdict | undefined) => verdict !== 'void' && verdict !== 'passed over';

const streamsThat = (wanted: Verdict, verdicts: ReadonlyMap<string, Verdict>) =>
  [...verdicts].filter(([, verdict]) => verdict === wanted).map(([stream]) => stream);

const endOf = (page: readonly Commit[]) => page.at(-1)?.position ?? 0;

function voidedSession(name: string): string | undefined {
  const stream = compactedStreamOf(name);
  return stream?.startsWith(sessionAggregate.streamPrefix) ? stream : undefined;
}

/** Documents are found by their stream alone. */
const refOf = (stream: string): StreamRef<unknown> => ({ stream, partition: stream, aggregate: sessionAggregate });
