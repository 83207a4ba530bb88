import type { Decider, Decision, Hold } from '../kernel/decider.js';
import { requireMaxBytes, TEXT_BYTES } from '../kernel/bounded-text.js';
import { DomainError } from '../kernel/domain-error.js';
import type { ResealSecrets } from '../kernel/reseal-secrets.js';
import type {
  AccountCommand,
  CallerProof,
  ChangeOwnProfile,
  NewPassword,
  RegisterAccount,
  UpdateAccount,
} from './account.commands.js';
import { ROLE_ADMIN, ROLE_GUEST, type AccountEvent, type ProfileChanged } from './account.events.js';
import { absentAccount, evolve, sessionRefusal, type Account } from './account.state.js';
import {
  disableTwoFactor,
  enableTwoFactor,
  generateRecoveryCodes,
  lockTwoFactor,
  resealRecoveryCodes,
  startEnrolment,
  useOneTimeCode,
  useRecoveryCode,
} from './account.two-factor.js';
import { cleanBasePath } from './base-path.js';
import type { NameClaim } from './name-claim.js';
import { releasedNameHold, usernameHold } from './account.holds.js';

/**
 * Decides on one account. Refuses every command but `RegisterAccount` and `RequireNoAdmin` with `account-not-found` unless the account is
 * active. Refuses a command with a `credential` with `password-changed`, `token-invalidated` or `account-disabled` if its session has ended
 * in the meantime.
 */
export const accountDecider: Decider<Account, AccountCommand, AccountEvent> = {
  initialState: absentAccount,
  decide,
  evolve,
};

function decide(account: Account, command: AccountCommand): Decision<AccountEvent> {
  if (command.type === 'RegisterAccount') return register(account, command);
  if (command.type === 'RequireNoAdmin') return requireNoAdmin(account);
  if (account.status !== 'active') throw new DomainError('account-not-found');
  if ('credential' in command) requireSession(account, command);
  switch (command.type) {
    case 'UpdateAccount':
      return update(account, command);
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

/** Checks the caller again, because its session may have ended after the caller was identified. */
function requireSession(account: Account, { credential, session }: CallerProof): void {
  if (credential === undefined) return;
  const refusal = sessionRefusal(account, { credential, session });
  if (refusal) throw new DomainError(refusal);
  if (account.disabled) throw new DomainError('account-disabled');
}

function requireNoAdmin({ role }: Account): Decision<AccountEvent> {
  if (role === ROLE_ADMIN) throw new DomainError('admin-unchangeable-by-token');
  return { events: [] };
}

function register(account: Account, command: RegisterAccount): Decision<AccountEvent> {
  const { accountId, name, password, role, permission, disabled, ssoId, allowLdap } = command;
  const reserved = role === ROLE_ADMIN || role === ROLE_GUEST;
  if (reserved && command.origin !== 'first-start') throw new DomainError('admin-or-guest-uncreatable');
  if (account.status !== 'absent') throw new DomainError('account-id-taken');
  const profile = { basePath: cleanBasePath(command.basePath), ssoId, allowLdap };
  requireMaxBytes(name.username, TEXT_BYTES.username, 'username-too-long');
  if (name.turn === 'taken') throw new DomainError('username-taken');
  requireProfileBounds(profile);
  const { username, nameHash, turn } = name;
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

function rename(account: Account, { username, nameHash, turn }: NameClaim) {
  if (username === account.username) return nothing;
  requireMaxBytes(username, TEXT_BYTES.username, 'username-too-long');
  if (turn === 'taken') throw new DomainError('username-taken');
  const data = { username, nameHash, turn, formerUsername: account.username };
  const holds: Hold[] = [usernameHold(nameHash, turn), releasedNameHold(account.nameHash, account.turn)];
  return { events: [{ type: 'AccountRenamed', v: 1, data } as const], holds };
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

function deleteAccount(account: Account): Decision<AccountEvent> {
  if (account.role === ROLE_ADMIN || account.role === ROLE_GUEST) throw new DomainError('admin-or-guest-undeletable');
  return {
    events: [{ type: 'AccountDeleted', v: 1, data: { username: account.username } }],
    holds: [releasedNameHold(account.nameHash, account.turn)],
  };
}
