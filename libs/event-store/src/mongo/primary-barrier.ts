import type { Connection, mongo } from 'mongoose';
import { reaching } from './mongo-connection.js';

/**
 * A primary that was just elected has every acknowledged commit, but for a moment it does not know that a majority has them, and
 * majority reads show it older than it is. So before anything is read from a new primary, a write waits for its majority: it changes
 * nothing, and stands behind everything that the primary had when it was elected.
 */
export class PrimaryBarrier {
  #primary = '';
  #passing: Promise<void> | undefined;

  constructor(
    connection: Connection,
    private readonly collection: mongo.Collection<{ _id: string }>,
  ) {
    connection.getClient().on('topologyDescriptionChanged', ({ newDescription }) => this.#look(newDescription));
  }

  /**
   * Runs a read that shows everything that was acknowledged before it began. It is repeated where the primary changes meanwhile: the
   * driver would ask the new one by itself, and no write has been waited for there. Throws `StoreUnavailable`.
   */
  async read<Result>(operation: () => Promise<Result>): Promise<Result> {
    for (;;) {
      const primary = await this.#passed();
      const result = await reaching(operation);
      if (primary === this.#primary) return result;
    }
  }

  /** Resolves to the present primary when everything that it had at its election has its majority. */
  async #passed(): Promise<string> {
    for (;;) {
      const primary = this.#primary;
      await (this.#passing ??= this.#pass());
      if (primary === this.#primary) return primary;
    }
  }

  async #pass(): Promise<void> {
    try {
      await reaching(() => this.collection.updateOne({ _id: 'nothing' }, { $unset: { nothing: true } }));
    } catch (error) {
      this.#passing = undefined;
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
    this.#passing = undefined;
  }
}
