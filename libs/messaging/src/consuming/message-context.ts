/** What a handler is told of a message beside its data. The message itself is settled by what becomes of the handler. */
export type MessageContext = Readonly<{
  /** Given by the sender, the same each time the message comes; questions may have none. */
  id: string | undefined;
  type: string;
  /** 1 at the first time; tries that failed for an outage are not counted. */
  attempt: number;
  /** Names the request that led to the message; the id when the sender gave none. */
  correlation: string | undefined;
  /** W3C trace context. */
  traceparent: string | undefined;
  /** It came before and was not settled; a hint, no proof. */
  redelivered: boolean;
  /** Aborted when nobody waits for the handler any more: its time is over, or the process ends. */
  signal: AbortSignal;
}>;
