import { IMPORT_ACTOR } from '@keyfold/domain';
import type { Commit } from '@keyfold/event-store';
import { hash, randomBytes } from 'node:crypto';

const COMMAND_PREFIX = 'import:openlist:';
const IMPORT_COMMAND = new RegExp(`^${COMMAND_PREFIX}(-?\\d+)$`);

/** Returns the id of the command that imported an account, from its id in OpenList. */
export const importCommandIdOf = (openlistId: number): string => COMMAND_PREFIX + openlistId;

/** Returns the id in OpenList of the account that a commit imported; undefined for other commits. */
export function importedIdIn({ command }: Commit): number | undefined {
  const [, id] = IMPORT_COMMAND.exec(command.id) ?? [];
  return id === undefined ? undefined : Number(id);
}

/** Returns the id that an account had in OpenList when it was imported; undefined if it was not. */
export const openlistIdOf = (accountCommits: readonly Commit[]): number | undefined =>
  accountCommits.map(importedIdIn).find((id) => id !== undefined);

/** Returns the commits up to the last one of an import; none without one. */
export const untilLastImport = (commits: readonly Commit[]): readonly Commit[] =>
  commits.slice(0, commits.findLastIndex(({ actor }) => actor === IMPORT_ACTOR) + 1);

const sha256 = (text: string) => hash('sha256', text, 'hex');

/** Returns what tells passwords of OpenList apart: each has a salt of its own. */
export const passwordMarkOf = (salt: string): string => sha256(salt);

const setsPassword = ({ events }: Commit) =>
  events.some(({ type }) => type === 'AccountRegistered' || type === 'PasswordChanged');

/** Returns the mark of the last password that an import brought; undefined if none did. */
export const importedPasswordMark = (accountCommits: readonly Commit[]): string | undefined =>
  accountCommits.findLast((commit) => commit.actor === IMPORT_ACTOR && setsPassword(commit))?.command.hash;

/** Returns the mark of the present password if an import brought it; undefined otherwise. */
export function unchangedPasswordMark(accountCommits: readonly Commit[]): string | undefined {
  const last = accountCommits.findLast(setsPassword);
  return last?.actor === IMPORT_ACTOR ? last.command.hash : undefined;
}

/**
 * Returns what an export writes for the present password of an account, so that an import finds the account and leaves the password. It
 * names the commit that set the password.
 */
export function exportMarkOf(accountCommits: readonly Commit[]): string | undefined {
  const last = accountCommits.findLast(setsPassword);
  return last && sha256(`${last.stream} ${last.command.id} ${last.correlation}`).slice(0, 32);
}

/** Returns a new salt with the mark. OpenList accepts any text, and replaces it with each password. */
export const saltWith = (exportMark: string): string => `${randomBytes(12).toString('base64url')}.${exportMark}`;
