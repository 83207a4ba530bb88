import type { Commit } from '@keyfold/event-store';
import type { OutgoingMessage } from '../event-publisher.js';
import { outgoingMessage } from './outgoing-message.js';
import { publicEventsOf } from './translation.js';

/**
 * Translates a commit into the messages for other services, in order.
 *
 * @throws UnknownEvent the commit contains an event of a newer version of Keyfold
 * @throws UnsendableMessage a message is too large
 */
export const messagesOf = (commit: Commit): OutgoingMessage[] => publicEventsOf(commit).map(outgoingMessage);
