import type { z } from 'zod';
import { accessTokenEvents } from './access-token-events.js';
import { appPasswordEvents } from './app-password-events.js';
import { accountEvents } from './account-events.js';
import type { EventDefinition } from './event-definition.js';
import { sessionEvents } from './session-events.js';
import { siteSettingsEvents } from './site-settings-events.js';
import { sshKeyEvents } from './ssh-key-events.js';

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
  ...siteSettingsEvents,
} satisfies Readonly<Record<string, EventDefinition>>;

/** The type and routing key of an event, for example `ssh-key.added`. */
export type PublicEventType = keyof typeof publicEvents;

/** The data of an event of this type. */
export type PublicEventData<Type extends PublicEventType> = z.infer<(typeof publicEvents)[Type]['data']>;

/** All types, in the order of the documentation. */
export const publicEventTypes = Object.keys(publicEvents) as readonly PublicEventType[];

/** Returns the definition of a type, without the exact type of its data. */
export const definitionOf = (type: PublicEventType): EventDefinition => publicEvents[type];
