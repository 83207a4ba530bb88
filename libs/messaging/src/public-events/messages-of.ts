import type { Commit } from '@keyfold/event-store';
import type { OutgoingMessage } from '../relay/event-publisher.js';
import { outgoingMessage } from './outgoing-message.js';
import { publicEventsOf } from './translation.js';

/** What other services are sent of a commit, in its order. Throws `UnknownEvent` and `UnsendableMessage`. */
export const messagesOf = (commit: Commit): OutgoingMessage[] => publicEventsOf(commit).map(outgoingMessage);
