import { expect } from 'vitest';
import type { Commit } from '../src/commit.js';
import { WrongExpectedVersion } from '../src/event-store.errors.js';
import type { Appended, EventStore } from '../src/event-store.js';
import { newCommit, unused } from './new-commit.js';

/** Returns the outcome of an append, or the name of its error. */
export const outcomeOf = (append: Promise<Appended>): Promise<string> =>
  append.then(
    ({ outcome }) => outcome,
    (error: unknown) => (error instanceof Error ? error.name : String(error)),
  );

/** Counts the outcomes of each kind. */
export function tally(outcomes: readonly string[]): Record<string, number> {
  const kinds = Map.groupBy(outcomes, (outcome) => outcome);
  return Object.fromEntries([...kinds].map(([kind, same]) => [kind, same.length]));
}

/** Returns the error of an append; fails unless it is of the given kind. */
export async function refusal<T extends Error>(
  append: Promise<Appended>,
  // The parameters of the constructor do not matter.
  kind: abstract new (...parameters: never[]) => T,
): Promise<T> {
  const result: unknown = await append.catch((error: unknown) => error);
  expect(result).toBeInstanceOf(kind);
  return result as T;
}

/** Reads a whole stream. */
export const readStream = (store: EventStore, stream: string): Promise<Commit[]> =>
  store.readStreams([{ stream, version: 0 }]);

/** Expects that a commit is refused for its version, and that neither its command id nor its hold is taken. */
export async function expectRefusedWhole(store: EventStore, stream: string, version: number): Promise<void> {
  const key = unused('name');
  const commit = newCommit(stream, version, { holds: [key] });
  await refusal(store.append(commit), WrongExpectedVersion);
  expect(await store.findCommand(commit.command.id)).toBeUndefined();
  expect(await store.findLastHold(key)).toBeUndefined();
}
