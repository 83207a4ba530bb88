import type { Commit } from '@keyfold/event-store';
import type { OutgoingMessage } from '../relay/event-publisher.js';

/** Which events are sent again; what is left out does not narrow. Times in unix milliseconds, `from` included and `to` not. */
export type ReplaySelection = Readonly<{
  from?: number;
  to?: number;
  types?: readonly string[];
  /** The name of the partition: an account's id. */
  partition?: string;
}>;

/** Whether the commit may have events that are wanted. */
export function selectsCommit({ from, to, partition }: ReplaySelection, commit: Commit): boolean {
  if (partition !== undefined && commit.partition !== partition) return false;
  return commit.at >= (from ?? -Infinity) && commit.at < (to ?? Infinity);
}

export function selectsMessage({ types }: ReplaySelection, { type }: OutgoingMessage): boolean {
  return types === undefined || types.includes(type);
}
