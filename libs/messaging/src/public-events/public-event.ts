/**
 * What other services are told: a CloudEvent 1.0 whose type is its routing key. The same event always has the same id, so a
 * subscriber that remembers ids, or per stream the last version and index, handles it once in effect.
 */
export type PublicEvent = Readonly<{
  /** `<stream>:<version>:<index>`: the stored event it was made of. */
  id: string;
  /** For example `ssh-key.added`; stable for ever, and its data change by addition only. */
  type: string;
  /** When it happened, in unix milliseconds. */
  at: number;
  /** The account that it is about; its events keep their order. Of the site settings the name of their stream. */
  partition: string;
  stream: string;
  /** The version of the stream that the event belongs to; events of one commit share it. */
  streamVersion: number;
  correlation: string;
  causation?: string;
  traceparent?: string;
  data: Readonly<Record<string, unknown>>;
}>;
