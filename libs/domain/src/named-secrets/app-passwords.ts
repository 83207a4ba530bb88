import type { DomainEvent } from '../kernel/event.js';
import { fileProtocols, type FileProtocol } from '../kernel/file-protocols.js';
import {
  namedSecretsAggregate,
  type CreateSecret,
  type NamedSecret,
  type NamedSecrets,
  type RevokeSecret,
  type SecretKind,
} from './named-secrets.js';

/** The purposes of app passwords. `any` stands for every protocol of file servers, and not for `web`, which is more than files. */
export const appPasswordProtocols = [...fileProtocols, 'any', 'web'] as const;
export type AppPasswordProtocol = (typeof appPasswordProtocols)[number];

/** Returns whether an app password for `granted` opens a login over `wanted`. */
export const grantsProtocol = (granted: AppPasswordProtocol, wanted: FileProtocol): boolean =>
  granted === wanted || (granted === 'any' && wanted !== 'web');

type Protocol = Readonly<{ protocol: AppPasswordProtocol }>;
export type AppPassword = NamedSecret & Protocol;
export type AppPasswords = NamedSecrets<AppPassword>;

export type CreateAppPassword = CreateSecret<'CreateAppPassword'> & Protocol;
export type RevokeAppPassword = RevokeSecret<'RevokeAppPassword'>;
export type AppPasswordsCommand = CreateAppPassword | RevokeAppPassword;

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

/** An app password was revoked and is refused from then on. */
export type AppPasswordRevoked = DomainEvent<'AppPasswordRevoked', { appPasswordId: number }, undefined>;

export type AppPasswordsEvent = AppPasswordCreated | AppPasswordRevoked;

const kind: SecretKind<AppPassword, CreateAppPassword, AppPasswordsEvent> = {
  name: 'app-password',
  upcasters: { AppPasswordCreated: [], AppPasswordRevoked: [] },
  created(appPasswordId, { name, protocol, now, expiresAt, hash }) {
    const data = { appPasswordId, name, protocol, createdAt: now, expiresAt, hash };
    return { type: 'AppPasswordCreated', v: 1, data };
  },
  revoked: (appPasswordId) => ({ type: 'AppPasswordRevoked', v: 1, data: { appPasswordId } }),
  effectOf(event) {
    if (event.type === 'AppPasswordRevoked') return event.data.appPasswordId;
    const { appPasswordId: id, ...fields } = event.data;
    return { id, ...fields };
  },
};

export const appPasswordsAggregate = namedSecretsAggregate<
  AppPassword,
  CreateAppPassword,
  RevokeAppPassword,
  AppPasswordsEvent
>(kind);
