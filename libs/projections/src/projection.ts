import { reasonOf, StoreUnavailable, type Commit } from '@keyfold/event-store';
import { UnfoldableStream } from './fold.js';
import type { ParkedStream, ReadModelStore } from './read-model-store.js';
import type { StreamRef } from './stream-ref.js';
import type { StreamLoader } from './stream-loader.js';

const RETRIED_TOGETHER = 200;

/** Brings documents up to their streams. Used by writers after their commit, by the projector and by a rebuild. */
export class Projection {
  constructor(
    private readonly loader: StreamLoader,
    private readonly readModels: ReadModelStore,
    private readonly now: () => number,
  ) {}

  /**
   * Safe to repeat and to run at several places at once. A stream that cannot be folded or written is parked. Throws `StoreUnavailable`.
   * Commits of the stream that are `atHand` spare reading it; those behind them may then be left to their own turn.
   */
  async project(ref: StreamRef<unknown>, atHand: readonly Commit[] = []): Promise<'projected' | 'parked'> {
    try {
      const loaded = await this.loader.loadWith(ref, atHand);
      // Version 0: a commit whose append failed was not stored after all.
      if (loaded.version > 0) await this.readModels.put(ref, loaded);
      return 'projected';
    } catch (error) {
      // Whatever is no outage would come again at every try, and must not stop the streams behind it.
      if (error instanceof StoreUnavailable) throw error;
      const version = error instanceof UnfoldableStream ? error.version : 0;
      await this.readModels.park({
        stream: ref.stream,
        partition: ref.partition,
        version,
        error: reasonOf(error),
        at: this.now(),
      });
      return 'parked';
    }
  }

  /** The streams that cannot be folded. Throws `StoreUnavailable`. */
  parked(): Promise<ParkedStream[]> {
    return this.readModels.parked();
  }

  /** Tries every parked stream again and releases those that can be folded now; many at a time, because a feed may wait behind it. */
  async retryParked(refOf: (stream: string, partition: string) => StreamRef<unknown> | undefined): Promise<void> {
    const parked = await this.readModels.parked();
    for (let from = 0; from < parked.length; from += RETRIED_TOGETHER) {
      const some = parked.slice(from, from + RETRIED_TOGETHER);
      await Promise.all(
        some.map(async (each) => {
          const ref = refOf(each.stream, each.partition);
          if (ref && (await this.project(ref)) === 'projected') await this.readModels.unpark(each);
        }),
      );
    }
  }
}
