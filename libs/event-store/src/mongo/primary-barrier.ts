import type { Connection, mongo } from 'mongoose';
import { reaching } from './mongo-connection.js';

/**
 * Keeps reads from missing acknowledged commits after an election. A new primary has them all, but at first it does not know which of them
 * a majority has, so majority reads return old data. Therefore the first read from a new primary waits for a majority write. This write
 * changes nothing and comes after everything that the primary had at its election.
 */
export class PrimaryBarrier {
  #primary = '';
  #passing: Promise<void> | undefined;

  constructor(
    connection: Connection,
    private readonly collection: mongo.Collection<{ _id: string }>,
  ) {
    connection
      .getClient()
      .on('topologyDescriptionChanged', ({ newDescription }) => this.#noticePrimary(newDescription));
  }

  /**
   * Runs a read that sees everything acknowledged before it started. Repeats it if the primary changes in the meantime, because the driver
   * retries on the new primary without waiting for a write. Throws `StoreUnavailable`.
   */
  async read<Result>(operation: () => Promise<Result>): Promise<Result> {
    for (;;) {
      const primary = await this.#passed();
      const result = await reaching(operation);
      if (primary === this.#primary) return result;
    }
  }

  /** Resolves to the current primary once a majority has everything that the primary had at its election. */
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

  /** The election id is new even if the same server is elected again. */
  #noticePrimary({ servers }: mongo.TopologyDescription): void {
    const primary = [...servers.values()].find(({ type }) => type === 'RSPrimary');
    if (!primary) return;
    const elected = `${primary.address} ${primary.electionId?.toHexString() ?? ''}`;
    if (elected === this.#primary) return;
    this.#primary = elected;
    this.#passing = undefined;
  }
}
