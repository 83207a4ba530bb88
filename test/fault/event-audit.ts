import type { CommitFeed } from '@keyfold/event-store';
import { publicEventsOf } from '@keyfold/messaging/events';
import { isDeepStrictEqual } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';
import type { EventSubscriber, SeenEvent } from '../support/rabbitmq/event-subscriber.js';

const PAGE = 500;
/** Until the last event of a quiet store must be there. */
const PATIENCE = 60_000;

/**
 * Compares what a subscriber saw with what the store says that happened: every event of every commit, those of one account in the order
 * of the feed, and nothing else. Goes on where the last look ended, so that long campaigns stay quick.
 */
export class EventAudit {
  readonly #positions = new Map<number, number>();
  /** By account, in order: the events that were not compared yet. */
  readonly #due = new Map<string, SeenEvent[]>();
  readonly #facts = new Set<string>();
  #dueCount = 0;

  constructor(private readonly subscriber: Pick<EventSubscriber, 'count' | 'takeEvents' | 'has'>) {}

  /** How many events the commits had that were looked at. */
  get count(): number {
    return this.#dueCount;
  }

  /** Waits until the subscriber has everything that the store has; a sentence for each violation. For when nobody writes. */
  async check(store: Pick<CommitFeed, 'slots' | 'readFeed'>, patience = PATIENCE): Promise<string[]> {
    await this.#readStore(store);
    const deadline = performance.now() + patience;
    while (this.subscriber.count < this.#dueCount && performance.now() < deadline) await pause(50);
    return this.#compare();
  }

  /** Those of the facts that no event told of since the last call; what they look like says `factOf`. */
  untold(facts: Iterable<string>): string[] {
    const untold = [...facts].filter((fact) => !this.#facts.has(fact));
    this.#facts.clear();
    return untold;
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
      violations.push(`${seen.type} ${seen.id} came where ${due ? `${due.type} ${due.id}` : 'nothing'} was due`);
      if (due) passedOver.push(due);
    }
    const missing = [...passedOver, ...[...this.#due.values()].flat()].filter(({ id }) => !this.subscriber.has(id));
    return [...missing.map(({ type, id }) => `${type} ${id} never came`), ...violations];
  }
}

/** What an event tells that a client was told, too: `ssh-key.added <fingerprint>`, for example. */
export function factOf({ type, data }: Pick<SeenEvent, 'type' | 'data'>): string {
  const name = { 'ssh-key.added': 'fingerprint', 'ssh-key.removed': 'keyId' }[type] ?? 'sessionId';
  return `${type} ${String(data[name])}`;
}
