import type { Aggregate } from '../kernel/aggregate.js';
import type { DomainEvent } from '../kernel/event.js';
import { fileProtocols, type LoginProtocol } from '../kernel/file-protocols.js';
import {
  namedSecretsAggregate,
  SECRETS_PER_ACCOUNT,
  type CreateSecret,
  type NamedSecret,
  type NamedSecrets,
  type RevokeAllSecrets,
  type RevokeSecret,
  type SecretKind,
} from './named-secrets.js';

/** The purposes of app passwords. `any` stands for every protocol of file servers, and not for `web`, which is more than files. */
export const appPasswordProtocols = [...fileProtocols, 'any', 'web'] as const;
export type AppPasswordProtocol = (typeof appPasswordProtocols)[number];

/** Returns whether an app password for `granted` opens a login over `wanted`. */
export const grantsProtocol = (granted: AppPasswordProtocol, wanted: LoginProtocol): boolean =>
  granted === wanted || (granted === 'any' && wanted !== 'web');

type Protocol = Readonly<{ protocol: AppPasswordProtocol }>;
export type AppPassword = NamedSecret & Protocol;
/** An app password that was revoked or gave way to a new one. `endedAt` is when, in unix milliseconds. */
export type FormerAppPassword = Readonly<{ id: number; hash: string; endedAt: number }>;
/** `former` contains those that ended last, the latest at the end. */
export type AppPasswords = NamedSecrets<AppPassword> & Readonly<{ former: readonly FormerAppPassword[] }>;

/** Maximum number of former app passwords that an account keeps: all that it could revoke at the same time. */
export const FORMER_APP_PASSWORDS = SECRETS_PER_ACCOUNT;
/** How long a former app password is kept, in milliseconds. */
export const FORMER_KEPT_FOR = 90 * 86_400_000;

/** Returns whether a former app password is still told from a guess at a time in unix milliseconds. */
export const isFormerKept = ({ endedAt }: Pick<FormerAppPassword, 'endedAt'>, now: number): boolean =>
  now - endedAt < FORMER_KEPT_FOR;

export type CreateAppPassword = CreateSecret<'CreateAppPassword'> & Protocol;
export type RevokeAppPassword = RevokeSecret<'RevokeAppPassword'>;
export type RevokeAllAppPasswords = RevokeAllSecrets<'RevokeAllAppPasswords'>;
export type AppPasswordsCommand = CreateAppPassword | RevokeAppPassword | RevokeAllAppPasswords;

/**
 * An app password was created. `appPasswordId` is the account id times 2^20 plus a number that is never reused. Times are in unix
 * milliseconds; `expiresAt` is null if it never expires. `hash` is the SHA-256 of its letters in base64url, and only the store may contain it.
 */
export type AppPasswordCreated = DomainEvent<
  'AppPasswordCreated',
  {
    appPasswordId: number;
    name: string;
    protocol: AppPasswordProtocol;
    createdAt: number;
    expiresAt: number | null;
    hash: string;
  },
  undefined
>;

/** An app password was revoked and is refused from then on. `revokedAt` is in unix milliseconds. */
export type AppPasswordRevoked = DomainEvent<
  'AppPasswordRevoked',
  { appPasswordId: number; revokedAt: number },
  undefined
>;

export type AppPasswordsEvent = AppPasswordCreated | AppPasswordRevoked;

const kind: SecretKind<AppPassword, CreateAppPassword, AppPasswordsEvent> = {
  name: 'app-password',
  upcasters: { AppPasswordCreated: [], AppPasswordRevoked: [] },
  created(appPasswordId, { name, protocol, now, expiresAt, hash }) {
    const data = { appPasswordId, name, protocol, createdAt: now, expiresAt, hash };
    return { type: 'AppPasswordCreated', v: 1, data };
  },
  revoked: (appPasswordId, revokedAt) => ({ type: 'AppPasswordRevoked', v: 1, data: { appPasswordId, revokedAt } }),
  effectOf(event) {
    if (event.type === 'AppPasswordRevoked') return event.data.appPasswordId;
    const { appPasswordId: id, ...fields } = event.data;
    return { id, ...fields };
  },
};

const named = namedSecretsAggregate<
  AppPassword,
  CreateAppPassword,
  RevokeAppPassword | RevokeAllAppPasswords,
  AppPasswordsEvent
>(kind);

/** Also keeps the hashes of former app passwords, so that a client that still sends one is not taken for a guesser. */
export const appPasswordsAggregate: Aggregate<number, AppPasswords, AppPasswordsCommand, AppPasswordsEvent> = {
  ...named,
  decider: {
    initialState: { ...named.decider.initialState, former: [] },
    decide: named.decider.decide,
    evolve(before, event) {
      const after = named.decider.evolve(before, event);
      const now = event.type === 'AppPasswordRevoked' ? event.data.revokedAt : event.data.createdAt;
      return { ...after, former: formerAfter(before, after.secrets, now) };
    },
  },
};

function formerAfter(
  { secrets, former }: AppPasswords,
  left: readonly AppPassword[],
  now: number,
): readonly FormerAppPassword[] {
  const leftIds = new Set(left.map(({ id }) => id));
  const ended = secrets.filter(({ id }) => !leftIds.has(id)).map(({ id, hash }) => ({ id, hash, endedAt: now }));
  return [...former.filter((each) => isFormerKept(each, now)), ...ended].slice(-FORMER_APP_PASSWORDS);
}
