import { LookUpPastSshKeysQuery, type LookedUpAccount } from '@keyfold/application';
import { KeyedQueue } from '@keyfold/concurrency';
import { Fault } from '@keyfold/http-envelope';
import type { QueryBus } from '@nestjs/cqrs';

/** Maximum number of look-ups at earlier times that wait. One runs at a time. */
const MAX_WAITING = 16;

/** Looks up keys at earlier times one after the other, because each reads the whole history of an account. */
export class PastLookUps {
  readonly #queue = new KeyedQueue();

  constructor(private readonly queries: QueryBus) {}

  /** @throws Fault 503 if too many wait; see `LookUpPastSshKeysQuery`. */
  async execute(query: LookUpPastSshKeysQuery): Promise<LookedUpAccount | null> {
    if (this.#queue.size('') > MAX_WAITING)
      throw new Fault(503, 'too many look-ups at earlier times are waiting', { retryAfterSeconds: 1 });
    return this.#queue.run('', () => this.queries.execute(query));
  }
}
