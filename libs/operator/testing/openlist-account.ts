import type { SentAccount } from '../src/openlist/import/import-plan.js';

/** An argon2id hash of nobody's password, as an import sends it. */
const WRAPPED = 'openlist$salt$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';

/** Returns an account of OpenList as it is sent to the store: one of the general role with a password and nothing else. */
export const openlistAccount = (id: number, username: string, differing: Partial<SentAccount> = {}): SentAccount => ({
  id,
  username,
  hasPassword: true,
  passwordMark: 'mark',
  wrappedHash: WRAPPED,
  passwordTimestamp: 1_795_356_473,
  secret: '',
  basePath: '/',
  role: 0,
  permission: 0,
  disabled: false,
  ssoId: '',
  allowLdap: true,
  hasPasskeys: false,
  keys: [],
  keysLeftOut: 0,
  ofExport: false,
  widened: '',
  notes: [],
  ...differing,
});
