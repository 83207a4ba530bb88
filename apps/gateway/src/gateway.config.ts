import type { PasswordRules } from '@keyfold/application';
import { NameRules } from '@keyfold/domain';
import { passwordRules, serviceVersion, type ApiSettings } from '@keyfold/process';
import { availableParallelism } from 'node:os';

/** What the gateway needs to know; the apps read it from their environment. */
export abstract class GatewayConfig {
  abstract readonly trustedProxies: readonly string[];
  abstract readonly tokenHours: number;
  /** Which free names an account may not give itself. */
  abstract readonly nameRules: NameRules;
  /** Shown to front ends as the setting `version`. */
  abstract readonly version: string;
  /** Account ids are taken from the store in blocks of this size. */
  abstract readonly accountIdBlock: number;
  /** What new passwords must be. */
  abstract readonly passwordRules: PasswordRules;
  /** Password hashes at a time, and how many may wait. */
  abstract readonly hashing: Readonly<{ concurrency: number; maxWaiting: number }>;
}

/** In milliseconds. */
const DAY = 86_400_000;

/** Account ids that are taken at once: 1 leaves no gaps and costs nothing where the store is at hand. */
export const ID_BLOCK = { embedded: 1, shared: 32 } as const;

export function gatewayConfig(settings: ApiSettings, accountIdBlock: number): GatewayConfig {
  return {
    trustedProxies: settings.KEYFOLD_TRUSTED_PROXIES,
    tokenHours: settings.KEYFOLD_TOKEN_HOURS,
    nameRules: new NameRules(settings.KEYFOLD_RELEASED_NAME_DAYS * DAY, settings.KEYFOLD_SYSTEM_NAMES),
    version: serviceVersion,
    accountIdBlock,
    passwordRules: passwordRules(settings),
    // One core stays free for everything that is not a password; a full queue is about two seconds of work.
    hashing: { concurrency: Math.max(1, availableParallelism() - 1), maxWaiting: 200 },
  };
}
