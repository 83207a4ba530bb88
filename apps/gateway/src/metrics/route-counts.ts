import type { Histogram } from '@keyfold/event-store';

/** Statuses that are reported from the start with 0, so that the first failure appears as an increase. */
const FAILURE_STATUSES = [500, 503];

/** Counts the responses of one route and method by status. A route has few statuses, so a linear search is fast. */
export class RouteCounts {
  readonly #statuses = [...FAILURE_STATUSES];
  readonly #counts = FAILURE_STATUSES.map(() => 0);
  #aborted = 0;

  /** The methods of a route share `durations`. */
  constructor(
    readonly method: string,
    readonly route: string,
    private readonly durations: Histogram,
  ) {}

  /** Records a response and the seconds since its request arrived. */
  responded(status: number, seconds: number): void {
    let index = this.#statuses.indexOf(status);
    if (index === -1) index = this.#statuses.push(status) - 1;
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.durations.observe(seconds);
  }

  /** Records that the client disconnected before its response. */
  aborted(): void {
    this.#aborted += 1;
  }

  /** Returns the number of requests by status. The status is `none` if the client disconnected. */
  byStatus(): (readonly [status: string, count: number])[] {
    const responded = this.#statuses.map((status, index) => [String(status), this.#counts[index] ?? 0] as const);
    return this.#aborted > 0 ? [...responded, ['none', this.#aborted]] : responded;
  }
}
