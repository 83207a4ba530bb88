import type { DomainEvent } from '../kernel/event.js';
import type { Upcasters } from '../kernel/upcasting.js';
import type { AppPasswordProtocol } from './app-password-protocols.js';

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

export const appPasswordsUpcasters: Upcasters<AppPasswordsEvent['type']> = {
  AppPasswordCreated: [],
  AppPasswordRevoked: [],
};
