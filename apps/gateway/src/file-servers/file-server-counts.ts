import { Histogram } from '@keyfold/event-store';
import type { Sample } from '@keyfold/process';
import { RouteCounts } from '../metrics/request-counts.js';

/** In seconds. A warm process answers within two milliseconds. */
const BOUNDS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.1, 0.5, 1, 2.5];
const UNKNOWN_ROUTE = 'unknown';

/** Counts the requests of the servers port by route and status. Clients cannot create time series. */
export class FileServerCounts {
  readonly #routes: ReadonlyMap<string, RouteCounts>;
  readonly #durations = new Map<string, Histogram>();
  /** The number of requests in flight. */
  inFlight = 0;

  constructor(methods: Iterable<readonly [route: string, Readonly<{ method: string }>]>) {
    const all = [...methods, [UNKNOWN_ROUTE, { method: 'other' }] as const];
    this.#routes = new Map(
      all.map(([route, { method }]) => {
        const durations = new Histogram(BOUNDS);
        this.#durations.set(route, durations);
        return [route, new RouteCounts(method, route, durations)];
      }),
    );
  }

  /** Returns the counts of a route, those of unknown routes for any other path. */
  of(path: string): RouteCounts {
    return this.#routes.get(path) ?? this.#routes.get(UNKNOWN_ROUTE)!;
  }

  samples(): Sample[] {
    const requests = [...this.#routes.values()].flatMap((each) =>
      each.byStatus().map(([status, value]): Sample => {
        return { name: 'keyfold_servers_requests_total', labels: { route: each.route, status }, value };
      }),
    );
    const durations = [...this.#durations].map(([route, value]): Sample => {
      return { name: 'keyfold_servers_request_duration_seconds', labels: { route }, value };
    });
    return [...requests, ...durations, { name: 'keyfold_servers_requests_in_flight', value: this.inFlight }];
  }
}
