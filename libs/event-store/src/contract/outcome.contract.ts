import { expect } from 'vitest';
import type { Commit } from '../commit.js';
import type { Appended, EventStore } from '../event-store.js';

/** What an append came to, as a value: its outcome, or the name of the error that refused it. */
export const outcomeOf = (append: Promise<Appended>): Promise<string> =>
  append.then(
    ({ outcome }) => outcome,
    (error: unknown) => (error instanceof Error ? error.name : String(error)),
  );

/** How many of the outcomes are of each kind. */
export function tally(outcomes: readonly string[]): Record<string, number> {
  const kinds = Map.groupBy(outcomes, (outcome) => outcome);
  return Object.fromEntries([...kinds].map(([kind, same]) => [kind, same.length]));
}

/** The error that refuses an append; anything but an error of the given kind fails the case. */
export async function refusal<T extends Error>(
  append: Promise<Appended>,
  // The parameters of a constructor are not looked at.
  kind: abstract new (...parameters: never[]) => T,
): Promise<T> {
  const result: unknown = await append.catch((error: unknown) => error);
  expect(result).toBeInstanceOf(kind);
  return result as T;
}

/** Everything in one stream. */
export const readStream = (store: EventStore, stream: string): Promise<Commit[]> =>
  store.readStreams([{ stream, version: 0 }]);
