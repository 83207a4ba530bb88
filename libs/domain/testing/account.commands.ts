import type {
  ChangeOwnProfile,
  DeleteAccount,
  DisableTwoFactor,
  EnableTwoFactor,
  GenerateRecoveryCodes,
  ImportAccount,
  LockTwoFactor,
  NewPassword,
  RegisterAccount,
  StartTwoFactorEnrolment,
  UnlockTwoFactor,
  UpdateAccount,
  UsedCode,
  UseOneTimeCode,
  UseRecoveryCode,
} from '../src/account/account.commands.js';
import { NameRules, type NameClaim } from '../src/account/name-rules.js';
import { nameHashOf, NOON } from './account.events.js';

/** Returns a claim of a name with its next free turn. */
export const named = (username: string, turn: NameClaim['turn'] = 1): NameClaim => ({
  username,
  nameHash: nameHashOf(username),
  turn,
});

export const newPassword = (password: string, timestamp: number): NewPassword => ({
  sealedHash: `sealed hash of ${password}`,
  timestamp,
});

/** Returns the import of account 7, with the fields and the password of `register` and no two-factor. */
export const importing = (username: string, differing: Partial<ImportAccount> = {}): ImportAccount => {
  const { origin: _, ...fields } = register(username);
  return { ...fields, type: 'ImportAccount', sealedSecret: null, now: NOON, ...differing };
};

/** Returns an administrator's command that registers account 7. */
export const register = (username: string, differing: Partial<RegisterAccount> = {}): RegisterAccount => ({
  type: 'RegisterAccount',
  origin: 'administrator',
  accountId: 7,
  name: named(username),
  password: newPassword('first', 1_768_000_000),
  role: 0,
  basePath: '/',
  permission: 0,
  disabled: false,
  ssoId: '',
  allowLdap: true,
  ...differing,
});

/** Returns an update of the account that `registered` makes, which changes only the given fields. Its own name counts as taken. */
export const update = (username: string, differing: Partial<UpdateAccount> = {}): UpdateAccount => ({
  type: 'UpdateAccount',
  name: named(username, 'taken'),
  role: 0,
  basePath: '/',
  permission: 0,
  disabled: false,
  ssoId: '',
  allowLdap: true,
  ...differing,
});

/** Rules that reserve no name. */
const NO_RULES = new NameRules(0, []);

export const changeOwnProfile = (username: string, differing: Partial<ChangeOwnProfile> = {}): ChangeOwnProfile => ({
  type: 'ChangeOwnProfile',
  name: named(username, 'taken'),
  nameRules: NO_RULES,
  ssoId: '',
  now: NOON,
  ...differing,
});

export const startEnrolment = (enrolment: number, now = NOON): StartTwoFactorEnrolment => ({
  type: 'StartTwoFactorEnrolment',
  sealedSecret: `sealed secret ${enrolment}`,
  now,
});

/** `step` is undefined for a wrong code. */
export const enableTwoFactor = (enrolment: number, step: number | undefined, now = NOON): EnableTwoFactor => ({
  type: 'EnableTwoFactor',
  enrolment,
  step,
  now,
});

export const disableTwoFactor: DisableTwoFactor = { type: 'DisableTwoFactor' };
export const lockTwoFactor: LockTwoFactor = { type: 'LockTwoFactor', failures: 100 };
export const unlockTwoFactor: UnlockTwoFactor = { type: 'UnlockTwoFactor' };
export const deleteAccount: DeleteAccount = { type: 'DeleteAccount' };

export const generateRecoveryCodes = (differing: Partial<GenerateRecoveryCodes> = {}): GenerateRecoveryCodes => ({
  type: 'GenerateRecoveryCodes',
  sealedCodes: 'sealed codes 1',
  count: 10,
  ...differing,
});
export const useOneTimeCode = (usedCode: UsedCode): UseOneTimeCode => ({
  type: 'UseOneTimeCode',
  usedCode,
  protocol: 'webdav',
});
export const recoveryCode = (series: number, index: number): UseRecoveryCode => ({
  type: 'UseRecoveryCode',
  series,
  index,
});
