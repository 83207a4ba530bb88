import type { Aggregate } from '../kernel/aggregate.js';
import type { Decider, Decision, Hold } from '../kernel/decider.js';
import { requireMaxBytes, TEXT_BYTES } from '../kernel/bounded-text.js';
import { DomainError, type DomainErrorCode } from '../kernel/domain-error.js';
import type { ResealSecrets } from '../kernel/reseal-secrets.js';
import type {
  AccountCommand,
  CallerProof,
  ChangeOwnProfile,
  DisableTwoFactor,
  EnableTwoFactor,
  GenerateRecoveryCodes,
  ImportAccount,
  LockTwoFactor,
  NewPassword,
  RegisterAccount,
  StartTwoFactorEnrolment,
  UpdateAccount,
  UsedCode,
  UseOneTimeCode,
  UseRecoveryCode,
} from './account.commands.js';
import { ROLE_ADMIN, ROLE_GUEST, accountUpcasters, type AccountEvent, type ProfileChanged } from './account.events.js';
import { absentAccount, evolve, HOUR, sessionRefusal, type Account, type RecoveryCodes } from './account.state.js';
import { cleanBasePath } from './base-path.js';
import { isStandInName, type NameClaim } from './name-rules.js';
import { oneTimeCodeHold, releasedNameHold, usernameHold } from './account.holds.js';

/** How long an enrolment can be completed (in milliseconds), and how many may start in an hour (wire contract 2.3). */
export const ENROLMENT_LIFETIME = 600_000;
export const ENROLMENTS_PER_HOUR = 10;

/**
 * Decides on one account. Refuses every command with `account-not-found` unless the account is active, except registrations and
 * imports. Refuses a command with a `generation` with `password-changed`, `token-invalidated` or `account-disabled` if its session has ended in the meantime.
 */
export const accountDecider: Decider<Account, AccountCommand, AccountEvent> = {
  initialState: absentAccount,
  decide,
  evolve,
};

/** The ids of the accounts that the first start creates. Neither can be deleted. */
export const ADMIN_ID = 1;
export const GUEST_ID = 2;

export const accountAggregate: Aggregate<number, Account, AccountCommand, AccountEvent> = {
  name: 'account',
  decider: accountDecider,
  upcasters: accountUpcasters,
  streamPrefix: 'account-',
  streamOf: (accountId) => `account-${accountId}`,
};

function decide(account: Account, command: AccountCommand): Decision<AccountEvent> {
  if (command.type === 'RegisterAccount') return register(account, command);
  if (command.type === 'ImportAccount' && account.status === 'absent') return importNew(account, command);
  if (account.status !== 'active') throw new DomainError('account-not-found');
  if ('generation' in command) requireSession(account, command);
  switch (command.type) {
    case 'UpdateAccount':
      return update(account, command);
    case 'ImportAccount':
      return importTwoFactor(account, command, update(account, { ...command, type: 'UpdateAccount' }));
    case 'SetPassword':
      return { events: changePassword(command.password) };
    case 'EvictSessions':
      return { events: [{ type: 'SessionsEvicted', v: 1, data: { kept: command.kept } }] };
    case 'ChangeOwnProfile':
      return changeOwnProfile(account, command);
    case 'StartTwoFactorEnrolment':
      return startEnrolment(account, command);
    case 'EnableTwoFactor':
      return enableTwoFactor(account, command);
    case 'DisableTwoFactor':
      return disableTwoFactor(account, command);
    case 'GenerateRecoveryCodes':
      return generateRecoveryCodes(account, command);
    case 'UseRecoveryCode':
      return useRecoveryCode(account, command);
    case 'UseOneTimeCode':
      return useOneTimeCode(account, command);
    case 'LockTwoFactor':
      return lockTwoFactor(account, command);
    case 'UnlockTwoFactor':
      return { events: account.twoFactor?.locked ? [{ type: 'TwoFactorUnlocked', v: 1, data: {} }] : [] };
    case 'ResealSecrets':
      return { events: reseal(account, command) };
    case 'DeleteAccount':
      return deleteAccount(account);
  }
}

/**
 * Checks the caller again, because its session may have ended after the caller was identified.
 *
 * @throws `password-changed`, `token-invalidated` or `account-disabled`
 */
export function requireSession(account: Account, { generation, session }: CallerProof): void {
  if (generation === undefined) return;
  const refusal = sessionRefusal(account, { generation, session });
  if (refusal) throw new DomainError(refusal);
  if (account.disabled) throw new DomainError('account-disabled');
}

/** No access token may change an administrator. */
export function requireNoAdmin({ role }: Account): void {
  if (role === ROLE_ADMIN) throw new DomainError('admin-unchangeable-by-token');
}

function register(account: Account, command: RegisterAccount): Decision<AccountEvent> {
  const { accountId, name, password, role, permission, disabled, ssoId, allowLdap } = command;
  const reserved = role === ROLE_ADMIN || role === ROLE_GUEST;
  if (reserved && command.origin !== 'first-start') throw new DomainError('admin-or-guest-uncreatable');
  if (account.status !== 'absent') throw new DomainError('account-id-taken');
  const profile = { basePath: cleanBasePath(command.basePath), ssoId, allowLdap };
  const { username, nameHash, turn } = requireFreeName(name);
  requireProfileBounds(profile);
  const data = {
    accountId,
    username,
    nameHash,
    turn,
    role,
    permission,
    disabled,
    ...profile,
    passwordTimestamp: password.timestamp,
  };
  return {
    events: [{ type: 'AccountRegistered', v: 1, data, sealed: { passwordHash: password.sealedHash } }],
    holds: [usernameHold(nameHash, turn)],
  };
}

function importNew(account: Account, command: ImportAccount): Decision<AccountEvent> {
  const { password } = command;
  if (!password) throw new Error('cannot import a new account without a password');
  const registration = { ...command, password, type: 'RegisterAccount', origin: 'administrator' } as const;
  return importTwoFactor(account, command, register(account, registration));
}

/** Adds the events that turn two-factor on or off. The other service has checked a code of the secret. */
function importTwoFactor(
  account: Account,
  { role, sealedSecret, now }: ImportAccount,
  { events, holds = [] }: Decision<AccountEvent>,
): Decision<AccountEvent> {
  if (sealedSecret === undefined) return { events, holds };
  if (sealedSecret === null) return { events: [...events, ...disableTwoFactor(account, {}).events], holds };
  const started = startEnrolment({ ...account, role, recentEnrolments: [] }, { sealedSecret, now });
  const enabled = { type: 'TwoFactorEnabled', v: 1, data: { enrolment: account.enrolments + 1 } } as const;
  return { events: [...events, ...started.events, enabled], holds };
}

function update(account: Account, command: UpdateAccount): Decision<AccountEvent> {
  const { role = account.role, disabled = account.disabled, permission = account.permission } = command;
  if (role !== account.role) throw new DomainError('role-unchangeable');
  if (disabled && account.role === ROLE_ADMIN) throw new DomainError('admin-undisableable');
  const renaming = command.name ? rename(account, command.name) : nothing;
  const { basePath = account.basePath, ssoId = account.ssoId, allowLdap = account.allowLdap } = command;
  const events: AccountEvent[] = [
    ...renaming.events,
    ...changePassword(command.password),
    ...changeProfile(account, { basePath: cleanBasePath(basePath), ssoId, allowLdap }),
  ];
  if (permission !== account.permission) events.push({ type: 'PermissionsChanged', v: 1, data: { permission } });
  if (disabled !== account.disabled) {
    events.push({ type: disabled ? 'AccountDisabled' : 'AccountEnabled', v: 1, data: {} });
  }
  return { events, holds: renaming.holds };
}

function changeOwnProfile(account: Account, command: ChangeOwnProfile): Decision<AccountEvent> {
  if (account.role === ROLE_GUEST) throw new DomainError('guest-has-no-profile');
  const renaming = rename(account, command.name);
  const { name, nameRules, now } = command;
  if (renaming.events.length > 0 && nameRules.isReserved(name, account.accountId, now)) {
    throw new DomainError('username-reserved');
  }
  const events = [
    ...renaming.events,
    ...changePassword(command.password),
    ...changeProfile(account, { ssoId: command.ssoId }),
  ];
  return { events, holds: renaming.holds };
}

const nothing = { events: [], holds: [] };

function rename(account: Account, name: NameClaim) {
  if (name.username === account.username) return nothing;
  const { username, nameHash, turn } = requireFreeName(name);
  const data = { username, nameHash, turn, formerUsername: account.username };
  const holds: Hold[] = [usernameHold(nameHash, turn), releasedNameHold(account.nameHash, account.turn)];
  return { events: [{ type: 'AccountRenamed', v: 1, data } as const], holds };
}

/** Returns the claim if an account can be given the name. */
function requireFreeName({ username, nameHash, turn }: NameClaim) {
  requireMaxBytes(username, TEXT_BYTES.username, 'username-too-long');
  if (isStandInName(username)) throw new DomainError('username-of-stand-in');
  if (turn === 'taken') throw new DomainError('username-taken');
  return { username, nameHash, turn };
}

function changePassword(password: NewPassword | undefined): AccountEvent[] {
  if (!password) return [];
  const { sealedHash, timestamp } = password;
  return [
    { type: 'PasswordChanged', v: 1, data: { passwordTimestamp: timestamp }, sealed: { passwordHash: sealedHash } },
  ];
}

function changeProfile(account: Account, wanted: ProfileChanged['data']): AccountEvent[] {
  const changes = Object.entries(wanted).filter(([field, value]) => account[field as keyof typeof wanted] !== value);
  const data: ProfileChanged['data'] = Object.fromEntries(changes);
  requireProfileBounds(data);
  return changes.length === 0 ? [] : [{ type: 'ProfileChanged', v: 1, data }];
}

/** Checks new texts only, so that an account with texts older than the limits can still be changed. */
function requireProfileBounds({ basePath = '', ssoId = '' }: ProfileChanged['data']): void {
  requireMaxBytes(basePath, TEXT_BYTES.basePath, 'base-path-too-long');
  requireMaxBytes(ssoId, TEXT_BYTES.ssoId, 'sso-id-too-long');
}

function startEnrolment(
  account: Account,
  { sealedSecret, now }: Pick<StartTwoFactorEnrolment, 'sealedSecret' | 'now'>,
): Decision<AccountEvent> {
  if (account.role === ROLE_GUEST) throw new DomainError('guest-has-no-two-factor');
  const recent = account.recentEnrolments.filter((at) => at > now - HOUR);
  if (recent.length >= ENROLMENTS_PER_HOUR) {
    const retryAfterSeconds = Math.ceil((Math.min(...recent) + HOUR - now) / 1000);
    throw new DomainError('too-many-enrolments', { retryAfterSeconds });
  }
  const data = { enrolment: account.enrolments + 1, startedAt: now, expiresAt: now + ENROLMENT_LIFETIME };
  return { events: [{ type: 'TwoFactorEnrolmentStarted', v: 1, data, sealed: { secret: sealedSecret } }] };
}

function enableTwoFactor(account: Account, { enrolment, step, now }: EnableTwoFactor): Decision<AccountEvent> {
  if (account.role === ROLE_GUEST) throw new DomainError('guest-has-no-two-factor');
  const pending = account.pendingEnrolment;
  const isConfirmed = pending?.number === enrolment && now < pending.expiresAt && step !== undefined;
  if (!isConfirmed) throw new DomainError('enrolment-code-invalid');
  return {
    events: [{ type: 'TwoFactorEnabled', v: 1, data: { enrolment } }],
    holds: [oneTimeCodeHold(account.accountId, enrolment, step, 'enrolment-code-invalid')],
  };
}

function disableTwoFactor(account: Account, { usedCode }: Pick<DisableTwoFactor, 'usedCode'>): Decision<AccountEvent> {
  if (!account.twoFactor) return { events: [] };
  return { events: [{ type: 'TwoFactorDisabled', v: 1, data: {} }], holds: spend(account, usedCode) };
}

function lockTwoFactor({ twoFactor }: Account, { failures }: LockTwoFactor): Decision<AccountEvent> {
  if (!twoFactor || twoFactor.locked) return { events: [] };
  return { events: [{ type: 'TwoFactorLocked', v: 1, data: { failures } }] };
}

function generateRecoveryCodes(
  account: Account,
  { sealedCodes, count, usedCode }: GenerateRecoveryCodes,
): Decision<AccountEvent> {
  if (!account.twoFactor) throw new DomainError('two-factor-off');
  const data = { series: account.recoverySeries + 1, count };
  return {
    events: [{ type: 'RecoveryCodesGenerated', v: 1, data, sealed: { codes: sealedCodes } }],
    holds: spend(account, usedCode),
  };
}

function useRecoveryCode({ twoFactor }: Account, { series, index }: UseRecoveryCode): Decision<AccountEvent> {
  const codes = twoFactor?.recoveryCodes;
  if (codes?.series !== series || !codes.unused.includes(index))
    throw new DomainError('one-time-code-invalid-at-login');
  const data = { series, index, left: codes.unused.length - 1 };
  return { events: [{ type: 'RecoveryCodeUsed', v: 1, data }] };
}

function useOneTimeCode(account: Account, { usedCode, protocol }: UseOneTimeCode): Decision<AccountEvent> {
  return {
    events: [{ type: 'OneTimeCodeUsed', v: 1, data: { protocol } }],
    holds: spend(account, usedCode, 'one-time-code-invalid-at-login'),
  };
}

/** Returns the hold of a one-time code that proves the owner. It must belong to the active enrolment. */
function spend(
  { accountId, twoFactor }: Account,
  usedCode: UsedCode | undefined,
  refusal: DomainErrorCode = 'one-time-code-invalid',
): Hold[] {
  if (!usedCode) return [];
  const { enrolment, step } = usedCode;
  if (twoFactor?.enrolment !== enrolment) throw new DomainError(refusal);
  return [oneTimeCodeHold(accountId, enrolment, step, refusal)];
}

function reseal(
  { sealedPasswordHash, twoFactor, pendingEnrolment }: Account,
  { resealed }: ResealSecrets,
): AccountEvent[] {
  const events: AccountEvent[] = [];
  const passwordHash = resealed.get(sealedPasswordHash);
  if (passwordHash !== undefined) events.push({ type: 'PasswordResealed', v: 1, data: {}, sealed: { passwordHash } });
  const secrets = [
    { enrolment: twoFactor?.enrolment, sealed: twoFactor?.sealedSecret },
    { enrolment: pendingEnrolment?.number, sealed: pendingEnrolment?.sealedSecret },
  ];
  for (const { enrolment, sealed } of secrets) {
    const secret = sealed === undefined ? undefined : resealed.get(sealed);
    if (enrolment === undefined || secret === undefined) continue;
    events.push({ type: 'TwoFactorSecretResealed', v: 1, data: { enrolment }, sealed: { secret } });
  }
  if (twoFactor?.recoveryCodes) events.push(...resealRecoveryCodes(twoFactor.recoveryCodes, resealed));
  return events;
}

function resealRecoveryCodes(
  { series, sealedCodes }: RecoveryCodes,
  resealed: ReadonlyMap<string, string>,
): AccountEvent[] {
  const codes = resealed.get(sealedCodes);
  return codes === undefined ? [] : [{ type: 'RecoveryCodesResealed', v: 1, data: { series }, sealed: { codes } }];
}

function deleteAccount(account: Account): Decision<AccountEvent> {
  if (account.role === ROLE_ADMIN || account.role === ROLE_GUEST) throw new DomainError('admin-or-guest-undeletable');
  return {
    events: [{ type: 'AccountDeleted', v: 1, data: { username: account.username } }],
    holds: [releasedNameHold(account.nameHash, account.turn)],
  };
}
