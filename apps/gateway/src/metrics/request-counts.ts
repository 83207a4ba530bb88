import { Histogram } from '@keyfold/event-store';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestHook } from '../request/answer-headers.hook.js';
import { RouteCounts } from './route-counts.js';

/** Seconds: an answer from memory takes less than the first, a login with a queue before it the last ones. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** All addresses that no route takes, so that nobody outside can make series. */
const UNKNOWN_ROUTE = 'unknown';
const KNOWN_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const OTHER_METHOD = 'other';

/** A response that is being counted, and when its request came (monotonic milliseconds). */
type Counted = ServerResponse & { countedBy?: RouteCounts | undefined; cameAt?: number };
/** How many requests of a connection have no answer yet. */
type CountedSocket = Socket & { unanswered?: number };

/**
 * Counts requests and their answers. It is on the way of every request, so it keeps plain numbers and makes no object and no function for
 * a request; its two words on the response are read when that closes.
 */
export class RequestCounts {
  #inFlight = 0;
  readonly #routes: RouteCounts[] = [];
  readonly #durations = new Map<string, Histogram>();
  readonly #unknown = this.#countsOf(UNKNOWN_ROUTE, [...KNOWN_METHODS, OTHER_METHOD]);
  readonly #closed: (this: Counted) => void;

  constructor() {
    const ended = (response: Counted) => this.#ended(response);
    // One function for all responses, which each of them calls as its own.
    this.#closed = function (this: Counted) {
      ended(this);
    };
  }

  /** The hook that comes first, with its requests counted from then on. */
  counting(hook: RequestHook): RequestHook {
    return (request, reply, done) => {
      this.#began(request, reply);
      hook(request, reply, done);
    };
  }

  /** To be called before the server has routes. */
  attach(server: FastifyInstance): void {
    server.addHook('onRoute', (route) => this.#tag(route));
    server.server.on('connection', (socket: CountedSocket) => {
      socket.unanswered = 0;
      // Of requests that came one behind the other only the first response hears that the connection is gone.
      socket.once('close', () => {
        this.#inFlight -= socket.unanswered ?? 0;
        socket.unanswered = 0;
      });
    });
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Every route, whether or not it was asked for. */
  get routes(): readonly RouteCounts[] {
    return this.#routes;
  }

  /** Seconds until the answer by route, of those that were asked for. */
  get durations(): ReadonlyMap<string, Histogram> {
    return new Map([...this.#durations].filter(([, { counts }]) => counts.some((count) => count > 0)));
  }

  #began(request: FastifyRequest, reply: FastifyReply): void {
    const response: Counted = reply.raw;
    const socket: CountedSocket = request.raw.socket;
    response.countedBy = countedBy(this.#unknown, request);
    response.cameAt = performance.now();
    response.on('close', this.#closed);
    socket.unanswered = (socket.unanswered ?? 0) + 1;
    this.#inFlight += 1;
  }

  #ended(response: Counted): void {
    const { countedBy, cameAt = 0 } = response;
    const socket: CountedSocket = response.req.socket;
    if (socket.unanswered) {
      socket.unanswered -= 1;
      this.#inFlight -= 1;
    }
    if (response.writableFinished) countedBy?.answered(response.statusCode, (performance.now() - cameAt) / 1_000);
    else countedBy?.left();
  }

  /** A route says by a hook of its own which one it is: the hooks before it know only that there is a request. */
  #tag(route: RouteOptions): void {
    const byMethod = this.#countsOf(route.url, [route.method].flat());
    const tag = (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
      (reply.raw as Counted).countedBy = countedBy(byMethod, request);
      done();
    };
    // The route for HEAD that Fastify makes of another one has the hook of that, which comes before its own.
    route.onRequest = [...[route.onRequest ?? []].flat(), tag];
  }

  #countsOf(route: string, methods: readonly string[]): CountsByMethod {
    const durations = this.#durations.get(route) ?? new Histogram(BOUNDS);
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

/** The counts of a route by its methods. */
type CountsByMethod = ReadonlyMap<string, RouteCounts>;

const countedBy = (counts: CountsByMethod, { raw }: FastifyRequest): RouteCounts | undefined =>
  counts.get(raw.method ?? OTHER_METHOD) ?? counts.get(OTHER_METHOD);
