/** Metadata of a message, which its handler gets beside the data. The outcome of the handler settles the message. */
export type MessageContext = Readonly<{
  /** The id from the sender, the same on each delivery. Questions may have none. */
  id: string | undefined;
  type: string;
  /** Counts from 1. Attempts that failed because of an outage do not count. */
  attempt: number;
  /** The correlation id of the request that led to the message; defaults to `id`. */
  correlation: string | undefined;
  /** W3C trace context. */
  traceparent: string | undefined;
  /** Whether the message may have been delivered before; a hint, not a proof. */
  redelivered: boolean;
  /** Aborted when the handler times out, the channel is lost or the process shuts down. */
  signal: AbortSignal;
}>;
