import type { Commit, EventStore } from '@keyfold/event-store';
import type { MessageTraces } from '../message-traces.js';
import type { EventPublisher, OutgoingMessage } from './event-publisher.js';
import type { ParkedAccount, ParkedAccounts } from './parked-accounts.js';
import type { RelayCounter } from './relay-status.js';

/** The messages that a commit becomes, in their order; none for what is nobody's business. Throws when nobody can tell. */
export type MessagesOf = (commit: Commit) => readonly OutgoingMessage[];

export type RelayParts = Readonly<{
  store: EventStore;
  publisher: EventPublisher;
  parked: ParkedAccounts;
  messagesOf: MessagesOf;
  counter: RelayCounter;
  /** Told of every account that is parked. */
  onParked(record: ParkedAccount): void;
  /** Unix milliseconds. */
  clock(): number;
  /** Monotonic milliseconds. */
  now(): number;
  /** How long a page is waited for, in milliseconds; what was not done then comes again with the next one. */
  patience: number;
  traces?: MessageTraces | undefined;
}>;
