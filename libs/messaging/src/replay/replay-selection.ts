import type { Commit } from '@keyfold/event-store';
import type { OutgoingMessage } from '../event-publisher.js';

/** Selects the events to replay; a missing field matches all. `from` (inclusive) and `to` (exclusive) are Unix milliseconds. */
export type ReplaySelection = Readonly<{
  from?: number;
  to?: number;
  types?: readonly string[];
  /** The partition of an account: its id. */
  partition?: string;
}>;

/** Whether the commit can contain selected events. */
export function selectsCommit({ from, to, partition }: ReplaySelection, commit: Commit): boolean {
  if (partition !== undefined && commit.partition !== partition) return false;
  return commit.at >= (from ?? -Infinity) && commit.at < (to ?? Infinity);
}

/** Whether the message is selected. */
export function selectsMessage({ types }: ReplaySelection, { type }: OutgoingMessage): boolean {
  return types === undefined || types.includes(type);
}
