import { appPasswordIdOf } from '../src/app-passwords/app-password-id.js';
import type { CreateAppPassword, RevokeAppPassword } from '../src/app-passwords/app-passwords.decider.js';
import type { AppPasswordCreated, AppPasswordRevoked } from '../src/app-passwords/app-passwords.events.js';
import { NOON } from './account.events.js';

/** Returns the creation of the n-th app password ever of account 7. */
export const appPasswordCreated = (
  n: number,
  differing: Partial<AppPasswordCreated['data']> = {},
): AppPasswordCreated => ({
  type: 'AppPasswordCreated',
  v: 1,
  data: {
    appPasswordId: appPasswordIdOf(7, n),
    name: `app ${n}`,
    protocol: 'webdav',
    createdAt: NOON,
    expiresAt: null,
    hash: `hash of ${n}`,
    ...differing,
  },
});

/** Returns the revocation of the n-th app password ever of account 7. */
export const appPasswordRevoked = (n: number): AppPasswordRevoked => ({
  type: 'AppPasswordRevoked',
  v: 1,
  data: { appPasswordId: appPasswordIdOf(7, n) },
});

export const createAppPassword = (name: string, differing: Partial<CreateAppPassword> = {}): CreateAppPassword => ({
  type: 'CreateAppPassword',
  accountId: 7,
  name,
  protocol: 'webdav',
  expiresAt: null,
  hash: `hash of ${name}`,
  now: NOON,
  ...differing,
});

export const revokeAppPassword = (n: number): RevokeAppPassword => ({
  type: 'RevokeAppPassword',
  appPasswordId: appPasswordIdOf(7, n),
});
