import type { Connection, mongo } from 'mongoose';
import { reaching } from './mongo-connection.js';

/**
 * A primary that was just elected has every acknowledged commit, but for a moment it does not know that a majority has them, and
 * majority reads show it older than it is. So before anything is read from a new primary, a write waits for its majority: it changes
 * nothing, and stands behind everything that the primary had when it was elected.
 */
export class PrimaryBarrier {
  #primary = '';
  #passed: Promise<void> | undefined;

  constructor(
    connection: Connection,
    private readonly collection: mongo.Collection<{ _id: string }>,
  ) {
    connection.getClient().on('topologyDescriptionChanged', ({ newDescription }) => this.#look(newDescription));
  }

  /** Resolves when reads of the present primary show everything that was acknowledged before. Throws `StoreUnavailable`. */
  async passed(): Promise<void> {
    for (let primary; primary !== this.#primary;) {
      primary = this.#primary;
      await (this.#passed ??= this.#pass());
    }
  }

  async #pass(): Promise<void> {
    try {
      await reaching(() => this.collection.updateOne({ _id: 'nothing' }, { $unset: { nothing: true } }));
    } catch (error) {
      this.#passed = undefined;
      throw error;
    }
  }

  /** An election id is never used twice, also when the same server is elected again. */
  #look({ servers }: mongo.TopologyDescription): void {
    const primary = [...servers.values()].find(({ type }) => type === 'RSPrimary');
    if (!primary) return;
    const elected = `${primary.address} ${primary.electionId?.toHexString() ?? ''}`;
    if (elected === this.#primary) return;
    this.#primary = elected;
    this.#passed = undefined;
  }
}
