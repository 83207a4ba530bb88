import type { CommitFeed } from '@keyfold/event-store';
import { publicEventsOf } from '@keyfold/messaging/events';
import { isDeepStrictEqual } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventSubscriber, SeenEvent } from '../support/rabbitmq/event-subscriber.js';

const PAGE = 500;
/** The time in which the last event of a quiet store must arrive. */
const TIMEOUT = 60_000;

/**
 * Compares what a subscriber saw with what the store contains: every event of every commit, in feed order within an
 * account, and nothing else. Continues where the last check ended, to keep long campaigns fast.
 */
export class EventAudit {
  readonly #positions = new Map<number, number>();
  /** The events not compared yet, by account and in order. */
  readonly #due = new Map<string, SeenEvent[]>();
  readonly #facts = new Set<string>();
  #dueCount = 0;

  constructor(private readonly subscriber: Pick<EventSubscriber, 'count' | 'takeEvents' | 'has'>) {}

  /** Returns the number of events in the commits that were read. */
  get count(): number {
    return this.#dueCount;
  }

  /**
   * Waits until the subscriber has received everything that is stored. Returns a sentence for each violation. Nobody
   * may write meanwhile.
   */
  async check(store: Pick<CommitFeed, 'slots' | 'readFeed'>, timeout = TIMEOUT): Promise<string[]> {
    await this.#readStore(store);
    const deadline = performance.now() + timeout;
    while (this.subscriber.count < this.#dueCount && performance.now() < deadline) await sleep(50);
    return this.#compare();
  }

  /** Returns the facts (see `factOf`) that no event reported since the last call. */
  unreported(facts: Iterable<string>): string[] {
    const unreported = [...facts].filter((fact) => !this.#facts.has(fact));
    this.#facts.clear();
    return unreported;
  }

  async #readStore(store: Pick<CommitFeed, 'slots' | 'readFeed'>): Promise<void> {
    for (let slot = 0; slot < store.slots; slot++) {
      for (;;) {
        const page = await store.readFeed(slot, this.#positions.get(slot) ?? 0, PAGE);
        for (const { id, type, partition, stream, streamVersion, data } of page.flatMap(publicEventsOf)) {
          const ofAccount = this.#due.get(partition) ?? [];
          this.#due.set(partition, ofAccount);
          ofAccount.push({ id, type, partition, stream, version: streamVersion, data });
          this.#dueCount++;
        }
        const last = page.at(-1);
        if (!last) break;
        this.#positions.set(slot, last.position);
      }
    }
  }

  #compare(): string[] {
    const violations: string[] = [];
    const passedOver: SeenEvent[] = [];
    for (const seen of this.subscriber.takeEvents()) {
      this.#facts.add(factOf(seen));
      const due = this.#due.get(seen.partition)?.shift();
      if (isDeepStrictEqual(seen, due)) continue;
      violations.push(`${seen.type} ${seen.id} arrived instead of ${due ? `${due.type} ${due.id}` : 'nothing'}`);
      if (due) passedOver.push(due);
    }
    const missing = [...passedOver, ...[...this.#due.values()].flat()].filter(({ id }) => !this.subscriber.has(id));
    return [...missing.map(({ type, id }) => `${type} ${id} is missing`), ...violations];
  }
}

/** Returns the fact of an event in the form in which clients record it, such as `ssh-key.added <fingerprint>`. */
export function factOf({ type, data }: Pick<SeenEvent, 'type' | 'data'>): string {
  const name = { 'ssh-key.added': 'fingerprint', 'ssh-key.removed': 'keyId' }[type] ?? 'sessionId';
  return `${type} ${String(data[name])}`;
}
