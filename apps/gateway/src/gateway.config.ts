/** What the gateway needs to know; the apps read it from their environment. */
export abstract class GatewayConfig {
  abstract readonly trustedProxies: readonly string[];
  abstract readonly tokenHours: number;
  /** Shown to front ends as the setting `version`. */
  abstract readonly version: string;
  /** Account ids are taken from the store in blocks of this size. */
  abstract readonly accountIdBlock: number;
  /** Password hashes at a time, and how many may wait. */
  abstract readonly hashing: Readonly<{ concurrency: number; maxWaiting: number }>;
}
