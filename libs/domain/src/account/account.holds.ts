import type { Hold } from '../kernel/decider.js';
import type { DomainErrorCode } from '../kernel/domain-error.js';

/** Turns are padded so that the highest turn of a name is the last of its keys in byte order. */
const padded = (turn: number) => String(turn).padStart(10, '0');

/** What every hold of one user name starts with; `nameHash` is the hex SHA-256 of the exact name. */
export const usernameHoldPrefix = (nameHash: string) => `username:${nameHash}:`;

/** The name in one of its turns: exactly one account ever holds it. */
export const usernameHold = (nameHash: string, turn: number): Hold => ({
  key: `${usernameHoldPrefix(nameHash)}${padded(turn)}`,
  takenError: 'username-taken',
});

/** Taken by the commit that gives a name up; the next owner holds the next turn. */
export const releasedNameHold = (nameHash: string, turn: number): Hold => ({
  key: `${usernameHoldPrefix(nameHash)}${padded(turn)}:released`,
  takenError: 'username-taken',
});

/** Reads the last hold of a name: the turn, and whether its owner gave it up. */
export function readUsernameHold(key: string): { turn: number; released: boolean } {
  const [turn, released] = key.split(':').slice(2);
  return { turn: Number(turn), released: released === 'released' };
}

/** A one-time code that was used: never freed, so a code works once, also under parallel tries. */
export const oneTimeCodeHold = (
  accountId: number,
  enrolment: number,
  step: number,
  takenError: DomainErrorCode,
): Hold => ({
  key: `otp:${accountId}:${enrolment}:${step}`,
  takenError,
});
