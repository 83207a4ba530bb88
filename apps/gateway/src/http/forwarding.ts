import type { EnvelopeFilter } from '@keyfold/http-envelope';
import type { RequestTraces, Sample } from '@keyfold/process';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Dispatch } from './limit-pipelining.js';

/** The server that receives the requests, as forwarding needs it. */
export type ForwardingServer = Readonly<{
  server: Server;
  /** Answers refused and failed requests. */
  filter: EnvelopeFilter;
  /** Returns whether this service has a route with the path. */
  isRoute(path: string): boolean;
}>;

/** How forwarded requests are counted and traced. */
export type ForwardingWatch = Readonly<{
  count(request: IncomingMessage, response: ServerResponse): void;
  traces: RequestTraces | undefined;
}>;

/** Forwards requests that are not of this service to another server, before they reach Fastify. */
export abstract class Forwarding {
  abstract open(server: ForwardingServer, watch: ForwardingWatch): Dispatch;
  /** Returns a warning if the other server cannot be reached. */
  abstract check(): Promise<string | undefined>;
  abstract samples(): Sample[];
  /** Closes the connections to the other server. */
  abstract close(): Promise<void>;
}
