import type { z } from 'zod';
import { accountEvents } from './account-events.js';
import type { EventDefinition } from './event-definition.js';
import { sessionEvents } from './session-events.js';
import { siteSettingsEvents } from './site-settings-events.js';
import { sshKeyEvents } from './ssh-key-events.js';

/**
 * Every event that other services are told, by type. Types, schemas, the AsyncAPI document, the page and the translation of stored
 * events follow from this table; a type that was ever released stays in it.
 */
const publicEvents = {
  ...accountEvents,
  ...sshKeyEvents,
  ...sessionEvents,
  ...siteSettingsEvents,
} satisfies Readonly<Record<string, EventDefinition>>;

/** For example `ssh-key.added`: the routing key of the event. */
export type PublicEventType = keyof typeof publicEvents;

/** What an event of this type says. */
export type PublicEventData<Type extends PublicEventType> = z.infer<(typeof publicEvents)[Type]['data']>;

/** The types in the order of the documentation. */
export const publicEventTypes = Object.keys(publicEvents) as readonly PublicEventType[];

/** The definition without the exact type of its data. */
export const definitionOf = (type: PublicEventType): EventDefinition => publicEvents[type];
