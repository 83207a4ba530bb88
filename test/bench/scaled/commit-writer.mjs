import { eventStore, feedKeyOf, slotOf } from './built.mjs';

const BATCH = 2_000;

/** Fills an empty event store in bulk: nobody waits for these writes one by one, and nobody else gives out places meanwhile. */
export class CommitWriter {
  #ordinals = new Map();
  #waiting = [];
  #writing = Promise.resolve();

  constructor(connection) {
    this.collection = eventStore.collectionOf(connection, 'commits');
  }

  async write(commits) {
    for (const commit of commits) this.#waiting.push({ _id: this.#nextPlace(commit.partition), ...commit });
    while (this.#waiting.length >= BATCH) await this.#send(this.#waiting.splice(0, BATCH));
  }

  /** Everything that was written is there. */
  async end() {
    await this.#send(this.#waiting.splice(0));
    await this.#writing;
  }

  #nextPlace(partition) {
    const slot = slotOf(partition);
    const ordinal = (this.#ordinals.get(slot) ?? 0) + 1;
    this.#ordinals.set(slot, ordinal);
    return feedKeyOf(slot, ordinal);
  }

  /** One batch is made while another is under way. */
  async #send(documents) {
    await this.#writing;
    if (documents.length === 0) return;
    this.#writing = this.collection.insertMany(documents, { ordered: false, writeConcern: { w: 1, journal: false } });
  }
}
