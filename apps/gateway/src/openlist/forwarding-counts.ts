import { Fault } from '@keyfold/http-envelope';
import { LoginsLocked, OpenListUnavailable } from '@keyfold/openlist';
import type { Sample } from '@keyfold/process';
import { Histogram } from '@keyfold/reporting';

/**
 * How a forwarded request ended. `refused`: by this service. `unavailable`: OpenList did not answer. `broken`: OpenList cut off an answer.
 * `locked`: OpenList refused the login because of earlier wrong ones. `aborted`: the client ended it.
 */
const OUTCOMES = ['answered', 'refused', 'unavailable', 'locked', 'broken', 'aborted'] as const;
export type ForwardingOutcome = (typeof OUTCOMES)[number];

/** Returns the outcome of a request that was not answered. A timeout counts as `unavailable`. */
export function outcomeOf(error: unknown): ForwardingOutcome {
  if (error instanceof LoginsLocked) return 'locked';
  const isMissing = error instanceof OpenListUnavailable || (error instanceof Fault && error.status === 504);
  return isMissing ? 'unavailable' : 'refused';
}

/** In seconds. */
const BOUNDS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5];

/** Counts the forwarded requests of this thread. */
export class ForwardingCounts {
  readonly #outcomes = new Map<ForwardingOutcome, number>(OUTCOMES.map((outcome) => [outcome, 0]));
  #repeated = 0;
  readonly #added = new Histogram(BOUNDS);

  ended(outcome: ForwardingOutcome): void {
    this.#outcomes.set(outcome, this.#outcomes.get(outcome)! + 1);
  }

  /** A request was sent again because OpenList had refused its token. */
  repeated(): void {
    this.#repeated += 1;
  }

  /** The seconds that passed here before the request was sent. */
  delayed(seconds: number): void {
    this.#added.observe(seconds);
  }

  samples(): Sample[] {
    return [
      ...[...this.#outcomes].map(([outcome, value]): Sample => {
        return { name: 'keyfold_openlist_requests_total', labels: { outcome }, value };
      }),
      { name: 'keyfold_openlist_requests_repeated_total', value: this.#repeated },
      { name: 'keyfold_openlist_added_seconds', value: this.#added },
    ];
  }
}
