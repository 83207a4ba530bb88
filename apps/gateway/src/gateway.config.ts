import type { PasswordRules } from '@keyfold/application';
import { NameRules } from '@keyfold/domain';
import { passwordRules, serviceVersion, type ApiSettings } from '@keyfold/process';
import { availableParallelism } from 'node:os';

/** The configuration of the gateway. The apps read it from their environment. */
export abstract class GatewayConfig {
  /** Addresses and CIDR networks whose forwarded headers are trusted. */
  abstract readonly trustedProxies: readonly string[];
  /** The lifetime of a token. */
  abstract readonly tokenHours: number;
  /** Which unused names an account cannot choose for itself. */
  abstract readonly nameRules: NameRules;
  /** Shown to front ends as the setting `version`. */
  abstract readonly version: string;
  /** The number of account ids that a process takes from the store at once. */
  abstract readonly accountIdBlock: number;
  /** The rules for new passwords. */
  abstract readonly passwordRules: PasswordRules;
  /** How many password hashes are computed at once, and how many more can wait. */
  abstract readonly hashing: Readonly<{ concurrency: number; maxWaiting: number }>;
}

const DAY_MS = 86_400_000;

/** Sizes of a block of account ids. Blocks of 1 leave no gaps and cost nothing with the embedded store. */
export const ID_BLOCK = { embedded: 1, shared: 32 } as const;

/** Derives the configuration from the settings. */
export function gatewayConfig(settings: ApiSettings, accountIdBlock: number): GatewayConfig {
  return {
    trustedProxies: settings.KEYFOLD_TRUSTED_PROXIES,
    tokenHours: settings.KEYFOLD_TOKEN_HOURS,
    nameRules: new NameRules(settings.KEYFOLD_RELEASED_NAME_DAYS * DAY_MS, settings.KEYFOLD_SYSTEM_NAMES),
    version: serviceVersion,
    accountIdBlock,
    passwordRules: passwordRules(settings),
    // One CPU stays free for everything but password hashing. A full queue takes about two seconds.
    hashing: { concurrency: Math.max(1, availableParallelism() - 1), maxWaiting: 200 },
  };
}
