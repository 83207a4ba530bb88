import { eventStore, feedKeyOf, slotOf } from './built.mjs';

const BATCH = 2_000;

/** Fills an empty event store in bulk. No other writer may allocate positions meanwhile. */
export class CommitWriter {
  #ordinals = new Map();
  #waiting = [];
  #writing = Promise.resolve();

  constructor(connection) {
    this.collection = eventStore.collectionOf(connection, 'commits');
  }

  async write(commits) {
    for (const commit of commits) this.#waiting.push({ _id: this.#nextFeedKey(commit.partition), ...commit });
    while (this.#waiting.length >= BATCH) await this.#send(this.#waiting.splice(0, BATCH));
  }

  /** Waits until everything is written. */
  async end() {
    await this.#send(this.#waiting.splice(0));
    await this.#writing;
  }

  #nextFeedKey(partition) {
    const slot = slotOf(partition);
    const ordinal = (this.#ordinals.get(slot) ?? 0) + 1;
    this.#ordinals.set(slot, ordinal);
    return feedKeyOf(slot, ordinal);
  }

  /** Prepares one batch while another is in flight. */
  async #send(documents) {
    await this.#writing;
    if (documents.length === 0) return;
    this.#writing = this.collection.insertMany(documents, { ordered: false, writeConcern: { w: 1, journal: false } });
  }
}
