import type { Hold } from '../kernel/decider.js';
import type { DomainErrorCode } from '../kernel/domain-error.js';

/** Pads a turn, so that the highest turn of a name has the last key in byte order. */
const padded = (turn: number) => String(turn).padStart(10, '0');

/** Returns the common prefix of all holds of a user name. `nameHash` is the hex SHA-256 of the exact name. */
export const usernameHoldPrefix = (nameHash: string) => `username:${nameHash}:`;

/** Returns the hold of a name in one of its turns. Exactly one account can ever take it. */
export const usernameHold = (nameHash: string, turn: number): Hold => ({
  key: `${usernameHoldPrefix(nameHash)}${padded(turn)}`,
  takenError: 'username-taken',
});

/** Returns the hold that releases a name. The next owner takes the next turn. */
export const releasedNameHold = (nameHash: string, turn: number): Hold => ({
  key: `${usernameHoldPrefix(nameHash)}${padded(turn)}:released`,
  takenError: 'username-taken',
});

/** Parses the last hold of a name into its turn and whether the owner has released the name. */
export function parseUsernameHold(key: string): { turn: number; released: boolean } {
  const [turn, released] = key.split(':').slice(2);
  return { turn: Number(turn), released: released === 'released' };
}

/** Returns the hold of a used one-time code. It is never freed, so each code works only once, even in concurrent logins. */
export const oneTimeCodeHold = (
  accountId: number,
  enrolment: number,
  step: number,
  takenError: DomainErrorCode,
): Hold => ({
  key: `otp:${accountId}:${enrolment}:${step}`,
  takenError,
});
