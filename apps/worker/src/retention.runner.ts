import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { reasonOf } from '@keyfold/event-store';
import type { CompactedCount, Retention } from '@keyfold/projections';

const log = new Logger('Retention');

/** Runs the retention of sessions. On shutdown, it stops before the store closes. */
export class RetentionRunner implements OnApplicationShutdown {
  constructor(private readonly retention: Retention) {}

  /** Starts to compact old sessions periodically. */
  start(): void {
    this.retention.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.retention.stop();
  }

  static readonly reportError = (error: unknown): void =>
    log.error(`cannot compact sessions, retrying: ${reasonOf(error)}`);
  static readonly reportCompacted = ({ sessions, commits }: CompactedCount): void =>
    log.log(`compacted ${sessions} sessions of ${commits} commits`);
}
