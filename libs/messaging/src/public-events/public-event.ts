import type { PublicEventData, PublicEventType } from './public-events.js';

/** What is said of an event of any type. */
export type EventContext = Readonly<{
  /** `<stream>:<version>:<index>`: the stored event it was made of. */
  id: string;
  /** When it happened, in unix milliseconds. */
  at: number;
  /** The account that it is about; its events keep their order. Of the site settings the name of their stream. */
  partition: string;
  stream: string;
  /** The version of the stream that the event belongs to; events of one commit share it. */
  streamVersion: number;
  correlation: string;
  /** The id that the client chose for the request. */
  clientCorrelation?: string;
  causation?: string;
  traceparent?: string;
}>;

/**
 * What other services are told: a CloudEvent 1.0 whose type is its routing key. The same event always has the same id, so a
 * subscriber that remembers ids, or per stream the last version and index, handles it once in effect. Types are stable for ever,
 * and their data change by addition only.
 */
export type PublicEvent = {
  [Type in PublicEventType]: EventContext & Readonly<{ type: Type; data: PublicEventData<Type> }>;
}[PublicEventType];
