import type { Histogram } from '@keyfold/event-store';

/** Failures are told of every route from the start, so that the first one is seen as a change. */
const FAILURES = [500, 503];

/** The answers of one route and method. A route has few statuses, and mostly the first: looking for it costs next to nothing. */
export class RouteCounts {
  readonly #statuses = [...FAILURES];
  readonly #counts = FAILURES.map(() => 0);
  #left = 0;

  /** `durations` are shared by the methods of a route. */
  constructor(
    readonly method: string,
    readonly route: string,
    private readonly durations: Histogram,
  ) {}

  /** An answer of this status was sent, this many seconds after the request came. */
  answered(status: number, seconds: number): void {
    let index = this.#statuses.indexOf(status);
    if (index === -1) index = this.#statuses.push(status) - 1;
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.durations.observe(seconds);
  }

  /** The client left before its answer. */
  left(): void {
    this.#left += 1;
  }

  /** How many requests ended with each status; `none` where the client left. */
  byStatus(): (readonly [status: string, count: number])[] {
    const answered = this.#statuses.map((status, index) => [String(status), this.#counts[index] ?? 0] as const);
    return this.#left > 0 ? [...answered, ['none', this.#left]] : answered;
  }
}
