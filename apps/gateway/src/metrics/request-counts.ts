import { Histogram } from '@keyfold/reporting';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestHook } from '../request/request-reading.js';

/** Statuses that are reported from the start with 0, so that the first failure appears as an increase. */
const FAILURE_STATUSES = [500, 503];

/** Counts the responses of one route and method by status. */
export class RouteCounts {
  readonly #counts = new Map(FAILURE_STATUSES.map((status) => [status, 0]));
  #aborted = 0;

  /** The methods of a route share `durations`. */
  constructor(
    readonly method: string,
    readonly route: string,
    private readonly durations: Histogram,
  ) {}

  /** Records a response and the seconds since its request arrived. */
  responded(status: number, seconds: number): void {
    this.#counts.set(status, (this.#counts.get(status) ?? 0) + 1);
    this.durations.observe(seconds);
  }

  aborted(): void {
    this.#aborted += 1;
  }

  /** Returns the number of requests by status. The status is `none` if the client disconnected. */
  byStatus(): (readonly [status: string, count: number])[] {
    const responded = [...this.#counts].map(([status, count]) => [String(status), count] as const);
    return this.#aborted > 0 ? [...responded, ['none', this.#aborted]] : responded;
  }
}

/** In seconds. The lowest buckets fit responses of the API from memory, the highest logins that wait in a queue. */
const API_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Counts all requests without a route, so that clients cannot create time series. */
const UNKNOWN_ROUTE = 'unknown';
const KNOWN_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const OTHER_METHOD = 'other';

/** A response with the counts that it belongs to, and when its request arrived (monotonic milliseconds). */
type CountedResponse = ServerResponse & { routeCounts?: RouteCounts | undefined; arrivedAt?: number };
/** A connection with the number of its requests in flight. */
type CountedSocket = Socket & { inFlight?: number };

/**
 * Counts requests and their responses. Runs for every request, so it keeps plain numbers and creates no objects or functions per request:
 * it sets two fields on the response and reads them when the response closes.
 */
export class RequestCounts {
  #inFlight = 0;
  readonly #routes: RouteCounts[] = [];
  readonly #durations = new Map<string, Histogram>();
  readonly #unknown: CountsByMethod;
  readonly #onClose: (this: CountedResponse) => void;

  /** `bounds`: the upper bounds of the buckets of durations, in seconds. */
  constructor(private readonly bounds: readonly number[] = API_BOUNDS) {
    this.#unknown = this.#countsOf(UNKNOWN_ROUTE, [...KNOWN_METHODS, OTHER_METHOD]);
    const ended = (response: CountedResponse) => this.#ended(response);
    // One listener for all responses; `this` is the response.
    this.#onClose = function (this: CountedResponse) {
      ended(this);
    };
  }

  /** Wraps the first hook: requests are counted from there. */
  counting(hook: RequestHook): RequestHook {
    return (request, reply, done) => {
      this.#started(request.raw, reply.raw, this.#unknown);
      hook(request, reply, done);
    };
  }

  /** Returns a function that counts requests which no route answers, under this name. */
  forwarded(name: string): (request: IncomingMessage, response: ServerResponse) => void {
    const counts = this.#countsOf(name, [...KNOWN_METHODS, OTHER_METHOD]);
    return (request, response) => this.#started(request, response, counts);
  }

  /** Must be called before routes are added to the server. */
  attach(server: FastifyInstance): void {
    server.addHook('onRoute', (route) => this.#tag(route));
    server.server.on('connection', (socket: CountedSocket) => {
      socket.inFlight = 0;
      // Of several pipelined requests, only the first response emits `close` if the connection breaks.
      socket.once('close', () => {
        this.#inFlight -= socket.inFlight ?? 0;
        socket.inFlight = 0;
      });
    });
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** The counts of every route, requested or not. */
  get routes(): readonly RouteCounts[] {
    return this.#routes;
  }

  /** Histograms of the seconds until the response by route, without routes that were never requested. */
  get durations(): ReadonlyMap<string, Histogram> {
    return new Map([...this.#durations].filter(([, { counts }]) => counts.some((count) => count > 0)));
  }

  #started(request: IncomingMessage, response: CountedResponse, counts: CountsByMethod): void {
    const socket: CountedSocket = request.socket;
    response.routeCounts = countsFor(counts, request);
    response.arrivedAt = performance.now();
    response.on('close', this.#onClose);
    socket.inFlight = (socket.inFlight ?? 0) + 1;
    this.#inFlight += 1;
  }

  #ended(response: CountedResponse): void {
    const { routeCounts, arrivedAt = 0 } = response;
    const socket: CountedSocket = response.req.socket;
    if (socket.inFlight) {
      socket.inFlight -= 1;
      this.#inFlight -= 1;
    }
    if (response.writableFinished) routeCounts?.responded(response.statusCode, (performance.now() - arrivedAt) / 1_000);
    else routeCounts?.aborted();
  }

  /** Adds a hook to a route that assigns its responses to its counts. Global hooks do not know the route yet. */
  #tag(route: RouteOptions): void {
    const byMethod = this.#countsOf(route.url, [route.method].flat());
    const tag = (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
      (reply.raw as CountedResponse).routeCounts = countsFor(byMethod, request.raw);
      done();
    };
    // A HEAD route that Fastify derives from a GET route inherits its hook, which runs first.
    route.onRequest = [...[route.onRequest ?? []].flat(), tag];
  }

  #countsOf(route: string, methods: readonly string[]): CountsByMethod {
    const durations = this.#durations.get(route) ?? new Histogram(this.bounds);
    this.#durations.set(route, durations);
    const byMethod = new Map<string, RouteCounts>();
    for (const method of new Set(methods.map((each) => (KNOWN_METHODS.includes(each) ? each : OTHER_METHOD)))) {
      const counts = new RouteCounts(method, route, durations);
      byMethod.set(method, counts);
      this.#routes.push(counts);
    }
    return byMethod;
  }
}

type CountsByMethod = ReadonlyMap<string, RouteCounts>;

const countsFor = (counts: CountsByMethod, { method }: IncomingMessage): RouteCounts | undefined =>
  counts.get(method ?? OTHER_METHOD) ?? counts.get(OTHER_METHOD);
