import { z } from 'zod';
import { accountEvents, sessionEvents } from './account-events.js';
import { defineEvent, type EventDefinition } from './event-definition.js';
import { sshKeyEvents } from './ssh-key-events.js';
import { accessTokenEvents, appPasswordEvents } from './token-events.js';

/**
 * All public events by type. TypeScript types, schemas, the AsyncAPI document and the documentation page are derived from this table. A
 * released type is never removed.
 */
const publicEvents = {
  ...accountEvents,
  ...sshKeyEvents,
  ...sessionEvents,
  ...accessTokenEvents,
  ...appPasswordEvents,
  'site-settings.changed': defineEvent({
    title: 'Settings of the site changed',
    when: 'An administrator saved or deleted settings, or reset the static token of the administrator (key `token`).',
    data: z.object({
      keys: z.array(z.string()).describe('The names of the settings. Values are left out, since they may be secret.'),
    }),
    sample: { stream: 'site-settings', data: { keys: ['site_title', 'announcement'] } },
  }),
} satisfies Readonly<Record<string, EventDefinition>>;

/** The type and routing key of an event, for example `ssh-key.added`. */
export type PublicEventType = keyof typeof publicEvents;

export type PublicEventData<Type extends PublicEventType> = z.infer<(typeof publicEvents)[Type]['data']>;

/** All types, in the order of the documentation. */
export const publicEventTypes = Object.keys(publicEvents) as readonly PublicEventType[];

/** Returns the definition of a type, without the exact type of its data. */
export const definitionOf = (type: PublicEventType): EventDefinition => publicEvents[type];

/** The attributes of an event of any type. */
export type EventContext = Readonly<{
  /** `<stream>:<version>:<index>` of the stored event. */
  id: string;
  /** When the event occurred, in Unix milliseconds. */
  at: number;
  /** The account id, or the name of the stream for the site settings and erasures. Events of a partition keep their order. */
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
