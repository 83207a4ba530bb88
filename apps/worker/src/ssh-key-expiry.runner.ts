import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { SshKeyExpiry } from '@keyfold/application';
import { reasonOf } from '@keyfold/event-store';

const log = new Logger('SshKeyExpiry');

/** Announces expired SSH keys. On shutdown, it stops before the store closes. */
export class SshKeyExpiryRunner implements OnApplicationShutdown {
  constructor(private readonly expiry: SshKeyExpiry) {}

  /** Starts to poll for expired keys. */
  start(): void {
    this.expiry.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.expiry.stop();
  }

  static readonly reportError = (error: unknown): void =>
    log.error(`cannot announce expired SSH keys, retrying: ${reasonOf(error)}`);
}
