import type { Aggregate } from '../kernel/aggregate.js';
import { requireMaxBytes, TEXT_BYTES } from '../kernel/bounded-text.js';
import type { Decider, Decision } from '../kernel/decider.js';
import { DomainError } from '../kernel/domain-error.js';
import { requireRoomFor, withNewSecret } from '../kernel/named-secrets.js';
import { appPasswordIdOf, LAST_APP_PASSWORD_NUMBER } from './app-password-id.js';
import type { AppPasswordProtocol } from './app-password-protocols.js';
import { appPasswordsUpcasters, type AppPasswordCreated, type AppPasswordsEvent } from './app-passwords.events.js';

/** An app password with its id, name, protocol, times in unix milliseconds, and the hash of its letters. */
export type AppPassword = AppPasswordCreated['data'];

/** The app passwords of one account in the order of their creation. `passwordsEver` also counts those that are gone. */
export type AppPasswords = Readonly<{ passwords: readonly AppPassword[]; passwordsEver: number }>;

/** Creates an app password. `now` and `expiresAt` are in unix milliseconds; without `expiresAt`, it never expires. */
export type CreateAppPassword = Readonly<{
  type: 'CreateAppPassword';
  accountId: number;
  name: string;
  protocol: AppPasswordProtocol;
  expiresAt: number | null;
  hash: string;
  now: number;
}>;
/** Revokes an app password. Refused with `app-password-not-found` if the account has none with this id. */
export type RevokeAppPassword = Readonly<{ type: 'RevokeAppPassword'; appPasswordId: number }>;
export type AppPasswordsCommand = CreateAppPassword | RevokeAppPassword;

/**
 * Decides on the app passwords of one account. Names of those that have not expired are unique and compared exactly. If there are several
 * reasons to refuse a creation, the first of these applies: length of the name, expiry, name, limit.
 *
 * An expired app password stays until it is revoked, a new one takes its name, or a new one needs its place.
 */
export const appPasswordsDecider: Decider<AppPasswords, AppPasswordsCommand, AppPasswordsEvent> = {
  initialState: { passwords: [], passwordsEver: 0 },
  decide: (state, command) => (command.type === 'CreateAppPassword' ? create(state, command) : revoke(state, command)),
  evolve,
};

export const appPasswordsAggregate: Aggregate<number, AppPasswords, AppPasswordsCommand, AppPasswordsEvent> = {
  name: 'app-passwords',
  decider: appPasswordsDecider,
  upcasters: appPasswordsUpcasters,
  streamPrefix: 'app-passwords-',
  streamOf: (accountId) => `app-passwords-${accountId}`,
};

const REFUSALS = {
  expiryInvalid: 'app-password-expiry-invalid',
  nameTaken: 'app-password-name-taken',
  limitReached: 'app-password-limit-reached',
} as const;

function create({ passwords, passwordsEver }: AppPasswords, command: CreateAppPassword): Decision<AppPasswordsEvent> {
  const { accountId, name, protocol, expiresAt, hash, now } = command;
  requireMaxBytes(name, TEXT_BYTES.secretName, 'app-password-name-too-long');
  requireRoomFor(command, passwords, REFUSALS);
  if (passwordsEver >= LAST_APP_PASSWORD_NUMBER) throw new DomainError(REFUSALS.limitReached);
  const appPasswordId = appPasswordIdOf(accountId, passwordsEver + 1);
  const data = { appPasswordId, name, protocol, createdAt: now, expiresAt, hash };
  return { events: [{ type: 'AppPasswordCreated', v: 1, data }] };
}

function revoke({ passwords }: AppPasswords, { appPasswordId }: RevokeAppPassword): Decision<AppPasswordsEvent> {
  if (!passwords.some((each) => each.appPasswordId === appPasswordId)) throw new DomainError('app-password-not-found');
  return { events: [{ type: 'AppPasswordRevoked', v: 1, data: { appPasswordId } }] };
}

function evolve({ passwords, passwordsEver }: AppPasswords, event: AppPasswordsEvent): AppPasswords {
  switch (event.type) {
    case 'AppPasswordCreated':
      return { passwords: withNewSecret(event.data, passwords), passwordsEver: passwordsEver + 1 };
    case 'AppPasswordRevoked': {
      const { appPasswordId } = event.data;
      return { passwords: passwords.filter((each) => each.appPasswordId !== appPasswordId), passwordsEver };
    }
  }
}
