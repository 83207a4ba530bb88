import type { StoredEvent } from '@keyfold/domain';

/**
 * The events of one command: the unit of appending, ordering and delivery. `version` counts the commits of the stream from 1 without
 * gaps and serves as concurrency token. `partition` groups streams that keep a common order. `at` is in unix milliseconds.
 */
export type NewCommit = Readonly<{
  partition: string;
  stream: string;
  version: number;
  /** `id` is never reused. `hash` distinguishes a repeated request from a different one with the same id. */
  command: Readonly<{ id: string; type: string; hash: string }>;
  at: number;
  actor: string;
  /** Session of the request, if it has one. Older commits lack this field. */
  session?: string;
  /** Id that the server gave to the request, or the sender to the message. */
  correlation: string;
  /** Id that the client chose for the request; untrusted. */
  clientCorrelation?: string;
  causation?: string;
  traceparent?: string;
  events: readonly StoredEvent[];
  /** Keys that no other commit may ever hold. */
  holds?: readonly string[];
}>;

/** A commit with its position in the feed of its slot: from 1 without gaps, in the order in which commits became visible. */
export type Commit = NewCommit & Readonly<{ position: number }>;

/** Version, trace id, parent id, flags: W3C Trace Context, section 3.2. Version ff and ids of only zeros are invalid. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Returns a W3C `traceparent` from a client or another service if it is valid, otherwise undefined. */
export const traceparentOf = (given: unknown): string | undefined =>
  typeof given === 'string' && TRACEPARENT.test(given) ? given : undefined;
