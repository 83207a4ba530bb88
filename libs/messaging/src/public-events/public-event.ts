import type { PublicEventData, PublicEventType } from './public-events.js';

/** The attributes of an event of any type. */
export type EventContext = Readonly<{
  /** `<stream>:<version>:<index>` of the stored event. */
  id: string;
  /** When the event occurred, in Unix milliseconds. */
  at: number;
  /** The account id, or the name of the stream of the site settings. Events of a partition keep their order. */
  partition: string;
  stream: string;
  /** The version of the stream after the commit; the events of one commit share it. */
  streamVersion: number;
  correlation: string;
  /** The id that the client chose for the request. */
  clientCorrelation?: string;
  causation?: string;
  traceparent?: string;
}>;

/**
 * An event for other services: a CloudEvent 1.0 whose type is its routing key. Its id never changes, so a subscriber that stores ids, or the
 * last version and index of each stream, can ignore duplicates. Types are stable, and their data only gains fields.
 */
export type PublicEvent = {
  [Type in PublicEventType]: EventContext & Readonly<{ type: Type; data: PublicEventData<Type> }>;
}[PublicEventType];
