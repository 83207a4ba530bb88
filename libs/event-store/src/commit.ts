import type { StoredEvent } from '@keyfold/domain';

/**
 * What one command led to: the unit of appending, of order and of delivery. `version` counts the commits of the stream, dense
 * from 1; it is the concurrency token. `partition` groups streams whose order matters together. `at` in unix milliseconds.
 */
export type NewCommit = Readonly<{
  partition: string;
  stream: string;
  version: number;
  /** `id` is unique for ever; `hash` tells a repeated request from another one with the same id. */
  command: Readonly<{ id: string; type: string; hash: string }>;
  at: number;
  actor: string;
  /** The login session that the request came with. Requests without one have none, and so have commits older than this field. */
  session?: string;
  /** The id that the server gave to the request, or the sender to the message. */
  correlation: string;
  /** The id that the client chose for the request; never believed. */
  clientCorrelation?: string;
  causation?: string;
  traceparent?: string;
  events: readonly StoredEvent[];
  /** Keys that no other commit may hold, ever. */
  holds?: readonly string[];
}>;

/** A commit with its place in the feed: dense from 1 within its slot, in the order in which the commits became visible. */
export type Commit = NewCommit & Readonly<{ position: number }>;
