import type { Commit, CommitFeed } from '@keyfold/event-store';
import type { MessageTraces } from '../message-traces.js';
import type { EventPublisher, OutgoingMessage } from '../event-publisher.js';
import type { ParkedAccount, ParkedAccounts } from './parked-accounts.js';
import type { RelayCounter } from './relay-status.js';

/** Translates a commit into messages, in order; private events yield none. Throws if the commit cannot be translated. */
export type MessagesOf = (commit: Commit) => readonly OutgoingMessage[];

/** Dependencies of a slot relay. */
export type RelayParts = Readonly<{
  feed: CommitFeed;
  publisher: EventPublisher;
  parked: ParkedAccounts;
  messagesOf: MessagesOf;
  counter: RelayCounter;
  /** Called for each account that is parked. */
  onParked(record: ParkedAccount): void;
  /** Returns Unix milliseconds. */
  clock(): number;
  /** Returns monotonic milliseconds. */
  now(): number;
  /** Milliseconds to wait for a page. Unsent commits are read again with the next page. */
  pageTimeout: number;
  traces?: MessageTraces | undefined;
}>;
