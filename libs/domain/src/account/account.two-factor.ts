import type { Decision, Hold } from '../kernel/decider.js';
import { DomainError, type DomainErrorCode } from '../kernel/domain-error.js';
import type {
  DisableTwoFactor,
  EnableTwoFactor,
  GenerateRecoveryCodes,
  LockTwoFactor,
  StartTwoFactorEnrolment,
  UsedCode,
  UseOneTimeCode,
  UseRecoveryCode,
} from './account.commands.js';
import { ROLE_GUEST, type AccountEvent } from './account.events.js';
import { oneTimeCodeHold } from './account.holds.js';
import { HOUR, type Account, type RecoveryCodes } from './account.state.js';

/** How long an enrolment can be completed (in milliseconds), and how many may start in an hour (wire contract 2.3). */
export const ENROLMENT_LIFETIME = 600_000;
const ENROLMENTS_PER_HOUR = 10;

/** Decides `StartTwoFactorEnrolment`. */
export function startEnrolment(
  account: Account,
  { sealedSecret, now }: StartTwoFactorEnrolment,
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

/** Decides `EnableTwoFactor`. */
export function enableTwoFactor(account: Account, { enrolment, step, now }: EnableTwoFactor): Decision<AccountEvent> {
  if (account.role === ROLE_GUEST) throw new DomainError('guest-has-no-two-factor');
  const pending = account.pendingEnrolment;
  const isConfirmed = pending?.number === enrolment && now < pending.expiresAt && step !== undefined;
  if (!isConfirmed) throw new DomainError('enrolment-code-invalid');
  return {
    events: [{ type: 'TwoFactorEnabled', v: 1, data: { enrolment } }],
    holds: [oneTimeCodeHold(account.accountId, enrolment, step, 'enrolment-code-invalid')],
  };
}

/** Decides `DisableTwoFactor`. */
export function disableTwoFactor(account: Account, { usedCode }: DisableTwoFactor): Decision<AccountEvent> {
  if (!account.twoFactor) return { events: [] };
  return { events: [{ type: 'TwoFactorDisabled', v: 1, data: {} }], holds: spend(account, usedCode) };
}

/** Decides `LockTwoFactor`. */
export function lockTwoFactor({ twoFactor }: Account, { failures }: LockTwoFactor): Decision<AccountEvent> {
  if (!twoFactor || twoFactor.locked) return { events: [] };
  return { events: [{ type: 'TwoFactorLocked', v: 1, data: { failures } }] };
}

/** Decides `GenerateRecoveryCodes`. */
export function generateRecoveryCodes(
  account: Account,
  { sealedCodes, count, usedCode }: GenerateRecoveryCodes,
): Decision<AccountEvent> {
  if (!account.twoFactor) throw new DomainError('two-factor-off');
  const data = { generation: account.recoveryGenerations + 1, count };
  return {
    events: [{ type: 'RecoveryCodesGenerated', v: 1, data, sealed: { codes: sealedCodes } }],
    holds: spend(account, usedCode),
  };
}

/** Decides `UseRecoveryCode`. */
export function useRecoveryCode(
  { twoFactor }: Account,
  { generation, index }: UseRecoveryCode,
): Decision<AccountEvent> {
  const codes = twoFactor?.recoveryCodes;
  if (codes?.generation !== generation || !codes.unused.includes(index))
    throw new DomainError('one-time-code-invalid-at-login');
  const data = { generation, index, left: codes.unused.length - 1 };
  return { events: [{ type: 'RecoveryCodeUsed', v: 1, data }] };
}

/** Decides `UseOneTimeCode`. */
export function useOneTimeCode(account: Account, { usedCode, protocol }: UseOneTimeCode): Decision<AccountEvent> {
  return {
    events: [{ type: 'OneTimeCodeUsed', v: 1, data: { protocol } }],
    holds: spend(account, usedCode, 'one-time-code-invalid-at-login'),
  };
}

/** Returns the event that reseals the recovery codes, if their text is in the map. */
export function resealRecoveryCodes(
  { generation, sealedCodes }: RecoveryCodes,
  resealed: ReadonlyMap<string, string>,
): AccountEvent[] {
  const codes = resealed.get(sealedCodes);
  return codes === undefined ? [] : [{ type: 'RecoveryCodesResealed', v: 1, data: { generation }, sealed: { codes } }];
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
