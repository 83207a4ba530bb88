import {
  accountDecider,
  DomainError,
  IMPORT_ACTOR,
  sshKeyRingDecider,
  type Account,
  type AccountEvent,
  type DomainErrorCode,
  type ImportAccount,
  type ImportSshKeys,
  type NameClaim,
  type SshKeyRing,
} from '@keyfold/domain';
import type { Commit } from '@keyfold/event-store';
import { isTotpSecret, isWrapped, parseSshPublicKey, readSshPublicKey } from '@keyfold/security';
import { z } from 'zod';
import { accountFields, type RowReason } from '../database/openlist-rows.js';

/**
 * An account as it is sent to the store: with its hash wrapped in argon2id, or before that with the fact that it has one. `passwordMark`
 * changes with each password. `exportMark` is that of an account that an export wrote, unless OpenList has changed its password since.
 */
export const sentAccount = z.object({
  ...accountFields,
  hasPassword: z.boolean(),
  passwordMark: z.string(),
  exportMark: z.string().optional(),
  wrappedHash: z.string().refine(isWrapped).optional(),
});
export type SentAccount = Readonly<z.infer<typeof sentAccount>>;

/** Why an account or one of its keys is not taken: what the API refuses, too, and what only an import meets. */
export type ImportReason =
  | DomainErrorCode
  | RowReason
  | 'changed-meanwhile'
  | 'erased-here'
  | 'older-than-imported'
  | 'other-site'
  | 'password-missing'
  | 'reads-more-than-before'
  | 'renamed-in-openlist'
  | 'two-factor-secret-invalid';
/** `key` is the title of the refused key, `cause` says more about the reason. */
export type ImportProblem = Readonly<{ reason: ImportReason; key?: string; cause?: string }>;
export type ImportOutcome =
  'taken' | 'unchanged' | 'changed here' | 'changed on both sides' | 'refused' | 'no longer in the file';

/**
 * The state of Keyfold for the id that the account would get. `wasImported`: by an earlier run, with the password of `passwordMark`. `secret`
 * is that of two-factor, opened. `atImport` is the state that the last import left, if there was one. `name` is the claim of the wanted name.
 */
export type Existing = Readonly<{
  wasImported: boolean;
  account: Account;
  accountCommits: readonly Commit[];
  passwordMark: string | undefined;
  secret: string | null;
  atImport: Imported | undefined;
  ring: SshKeyRing;
  ringCommits: readonly Commit[];
  name: NameClaim;
}>;

type Imported = Pick<Existing, 'account' | 'secret'>;

/** How to import an account. `account` and `keys` are the changes; missing if nothing differs. */
export type ImportPlan = Readonly<{
  outcome: ImportOutcome;
  problems: readonly ImportProblem[];
  notes: readonly string[];
  needsPassword: boolean;
  account?: Omit<ImportAccount, 'accountId' | 'password' | 'sealedSecret'> & Readonly<{ secret?: string | null }>;
  keys?: ImportSshKeys['keys'];
}>;

/** The events that change nothing of what an import brings. */
const UNRELATED: ReadonlySet<string> = new Set<AccountEvent['type']>([
  'OneTimeCodeUsed',
  'PasswordResealed',
  'RecoveryCodesGenerated',
  'RecoveryCodesResealed',
  'RecoveryCodeUsed',
  'SessionsEvicted',
  'TwoFactorEnrolmentStarted',
  'TwoFactorLocked',
  'TwoFactorSecretResealed',
  'TwoFactorUnlocked',
]);

/** The bits of wire contract 3.2. */
const KNOWN_PERMISSIONS = 0xffff;
/** Stands for a password or a secret while nothing is stored. */
const SEALED = 'sealed';

/** Plans the import of an account. Changes in Keyfold win over those in OpenList. `now` is in unix milliseconds. */
export function planImport(sent: SentAccount, existing: Existing, now: number): ImportPlan {
  const { accountCommits, wasImported, name } = existing;
  const { role, basePath, permission, disabled, ssoId, allowLdap, passwordTimestamp } = sent;
  // The time of the password is no sign: OpenList resets it at each edit by an administrator.
  const needsPassword = !wasImported || sent.passwordMark !== existing.passwordMark;
  const secret = secretOf(sent);
  const shared = {
    type: 'ImportAccount',
    role,
    basePath,
    permission,
    disabled,
    ssoId,
    allowLdap,
    name,
    now,
  } as const;
  const differenceFrom = (before: Imported) =>
    differenceOf(() =>
      accountDecider.decide(before.account, {
        ...shared,
        accountId: sent.id,
        password: needsPassword ? { sealedHash: SEALED, timestamp: passwordTimestamp } : undefined,
        sealedSecret: secret === before.secret ? undefined : secret && SEALED,
      }),
    );
  const changes = { ...shared, ...(secret !== existing.secret && { secret }) };
  const difference = differenceFrom(existing);
  const nothing = { needsPassword: false, problems: [], notes: notesOf(sent) };
  if (difference && accountCommits.some(isOwnChange)) {
    const isNew = existing.atImport && differenceFrom(existing.atImport);
    return { ...nothing, outcome: isNew ? 'changed on both sides' : 'changed here' };
  }
  const reason = difference && (difference.refusal ?? ownProblemOf(sent, existing, needsPassword));
  if (reason) return { ...nothing, outcome: 'refused', problems: [{ reason }] };
  const keys = planKeys(sent, existing, now);
  const widened = difference && !(wasImported && basePath === existing.account.basePath) && sent.widened;
  return {
    outcome: difference || keys.added.length > 0 ? 'taken' : 'unchanged',
    problems: [...(widened ? [{ reason: 'reads-more-than-before', cause: widened } as const] : []), ...keys.problems],
    notes: [...nothing.notes, ...keys.notes],
    needsPassword: needsPassword && difference !== undefined,
    ...(difference && { account: changes }),
    ...(keys.added.length > 0 && { keys: keys.added }),
  };
}

/** Returns whether a command would change anything, and why it would be refused; undefined if it would change nothing. */
export function differenceOf(decide: () => { events: readonly unknown[] }): { refusal?: DomainErrorCode } | undefined {
  try {
    return decide().events.length > 0 ? {} : undefined;
  } catch (error) {
    if (error instanceof DomainError) return { refusal: error.code };
    throw error;
  }
}

/** Returns the secret in the form in which clients get it; null without two-factor. */
export const secretOf = ({ secret }: SentAccount) => secret.trim().toUpperCase().replace(/=+$/, '') || null;

/** Returns whether a commit of somebody else changed what an import brings. */
const isOwnChange = ({ actor, events }: Commit) =>
  actor !== IMPORT_ACTOR && actor !== 'first-start' && events.some(({ type }) => !UNRELATED.has(type));

function ownProblemOf(sent: SentAccount, existing: Existing, needsPassword: boolean): ImportReason | undefined {
  // Another site may have another person under the id, who must not get the account.
  if (existing.wasImported && sent.username !== existing.account.username)
    return needsPassword ? 'other-site' : 'renamed-in-openlist';
  if (needsPassword && !sent.hasPassword) return 'password-missing';
  const { passwordTimestamp } = sent;
  if (existing.wasImported && passwordTimestamp !== 0 && passwordTimestamp < existing.account.passwordTimestamp)
    return 'older-than-imported';
  const secret = secretOf(sent);
  // Without its second factor the account would be less safe than before.
  return secret !== null && !isTotpSecret(secret) ? 'two-factor-secret-invalid' : undefined;
}

function notesOf({ notes, hasPasskeys, permission }: SentAccount): string[] {
  return [
    ...notes,
    ...(hasPasskeys ? ['passkeys are not taken'] : []),
    ...((permission & ~KNOWN_PERMISSIONS) === 0 ? [] : ['unknown permission bits']),
  ];
}

function planKeys({ id, keys, keysLeftOut }: SentAccount, { ring, ringCommits }: Existing, now: number) {
  const there = new Set(keys.map(({ line }) => parseSshPublicKey(line)?.fingerprint));
  const notes = ring.keys.some(({ key }) => !there.has(key.fingerprint)) ? ['has keys that OpenList has not'] : [];
  const known = new Set(ring.keys.map(({ key }) => key.fingerprint));
  const added: ImportSshKeys['keys'][number][] = [];
  const problems: ImportProblem[] = [];
  let state = ring;
  for (const { title, line, addedAt } of keys) {
    const read = readSshPublicKey(line);
    const key = { title, key: typeof read === 'string' ? undefined : read, now: addedAt ?? now };
    if (key.key && known.has(key.key.fingerprint)) continue;
    try {
      const command = { ...key, type: 'AddSshKey', accountId: id } as const;
      state = sshKeyRingDecider.decide(state, command).events.reduce(sshKeyRingDecider.evolve, state);
      added.push(key);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      problems.push({
        reason: error.code,
        key: title,
        ...(error.code === 'ssh-key-invalid' && typeof read === 'string' && { cause: read }),
      });
    }
  }
  if (keysLeftOut > 0) problems.push({ reason: 'ssh-key-limit-reached', key: `${keysLeftOut} more` });
  const isTouched = ringCommits.some(({ actor }) => actor !== IMPORT_ACTOR);
  if (!isTouched) return { added, problems, notes };
  return { added: [], problems: [], notes: added.length > 0 ? ['keys were changed here'] : notes };
}
