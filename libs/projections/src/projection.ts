import { UnfoldableStream } from './fold.js';
import type { ReadModelStore } from './read-model-store.js';
import type { StreamRef } from './read-model.js';
import type { StreamLoader } from './stream-loader.js';

/** Brings documents up to their streams. Used by writers after their commit, by the projector and by a rebuild. */
export class Projection {
  constructor(
    private readonly loader: StreamLoader,
    private readonly readModels: ReadModelStore,
    private readonly now: () => number,
  ) {}

  /** Safe to repeat and to run at several places at once. A stream that cannot be folded is parked. Throws `StoreUnavailable`. */
  async project(ref: StreamRef<unknown>): Promise<'projected' | 'parked'> {
    try {
      const [loaded] = await this.loader.load(ref);
      await this.readModels.put(ref, loaded);
      return 'projected';
    } catch (error) {
      if (!(error instanceof UnfoldableStream)) throw error;
      const { stream, version, message } = error;
      await this.readModels.park({ stream, partition: ref.partition, version, error: message, at: this.now() });
      return 'parked';
    }
  }

  /** Tries every parked stream again and releases those that can be folded now. */
  async retryParked(refOf: (stream: string, partition: string) => StreamRef<unknown> | undefined): Promise<void> {
    for (const { stream, partition } of await this.readModels.parked()) {
      const ref = refOf(stream, partition);
      if (ref && (await this.project(ref)) === 'projected') await this.readModels.unpark(stream);
    }
  }
}
