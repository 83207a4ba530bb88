import { StoreUnavailable, type NewCommit } from '@keyfold/event-store';
import { reasonOf } from '@keyfold/reporting';
import { UnfoldableStream } from '../loading/fold.js';
import type { StreamLoader } from '../loading/stream-loader.js';
import type { StreamRef } from '../loading/stream-ref.js';
import type { ParkedStream, ReadModelStore } from '../read-model-store.js';
import { readModelOf, sshKeyRings } from '../read-model.js';
import { keyOwnersIn, type KeyOwner } from './key-owners.js';
import { Snapshots } from './snapshots.js';

const RETRY_BATCH = 200;
/** Letters of a stored reason. */
const REASON_LENGTH = 1_000;

/** Updates documents from their streams. Used after an append and by the projector. */
export class Projection {
  readonly #snapshots = new Snapshots();

  constructor(
    private readonly loader: StreamLoader,
    private readonly readModels: ReadModelStore,
    private readonly now: () => number,
  ) {}

  /**
   * Brings the document of a stream up to date. Safe to repeat and to run concurrently. A stream that cannot be folded or written is
   * parked. With the latest commits in `known` the stream is not read; commits after them may be missing, and a large document that no
   * list shows may lag (`mayLag`). Throws `StoreUnavailable`.
   */
  async project(ref: StreamRef<unknown>, known: readonly NewCommit[] = []): Promise<'projected' | 'parked'> {
    try {
      const loaded = await this.loader.loadWith(ref, known);
      // Version 0: the append failed without storing its commit. A cached state may be that of a stream that was erased meanwhile.
      const isStored = loaded.version > 0 && (known.length > 0 || (await this.loader.hasCommit(ref, loaded.version)));
      if (isStored && (known.length === 0 || this.#snapshots.isDue(ref, loaded))) {
        await this.readModels.put(ref, loaded);
        this.#snapshots.written(ref, loaded);
      }
      return 'projected';
    } catch (error) {
      // Any other error would repeat on every attempt and must not block other streams.
      if (error instanceof StoreUnavailable) throw error;
      const version = error instanceof UnfoldableStream ? error.version : 0;
      await this.readModels.park({
        stream: ref.stream,
        partition: ref.partition,
        version,
        error: reasonOf(error).slice(0, REASON_LENGTH),
        at: this.now(),
      });
      return 'parked';
    }
  }

  addKeyOwners(owners: readonly KeyOwner[]): Promise<void> {
    return this.readModels.addKeyOwners(owners);
  }

  parked(): Promise<ParkedStream[]> {
    return this.readModels.parked();
  }

  /**
   * Retries all parked streams or the given one, and releases those that can be folded now. Adds the keys of a
   * released ring to the index of SSH keys. In batches, because the feed waits for it. Returns the number of retried streams.
   */
  async retryParked(
    refOf: (stream: string, partition: string) => StreamRef<unknown> | undefined,
    stream?: string,
  ): Promise<number> {
    const parked = await this.readModels.parked(stream);
    for (let from = 0; from < parked.length; from += RETRY_BATCH) {
      const some = parked.slice(from, from + RETRY_BATCH);
      await Promise.all(
        some.map(async (each) => {
          const ref = refOf(each.stream, each.partition);
          if (!ref || (await this.project(ref)) === 'parked') return;
          if (readModelOf(ref) === sshKeyRings) await this.addKeyOwners(keyOwnersIn(await this.loader.commitsOf(ref)));
          await this.readModels.unpark(each);
        }),
      );
    }
    return parked.length;
  }
}
