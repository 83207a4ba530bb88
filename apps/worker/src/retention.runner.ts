import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { reasonOf } from '@keyfold/event-store';
import type { CompactedCount, Retention } from '@keyfold/projections';

const log = new Logger('Retention');

/** Runs the retention of sessions until the process ends: before the store closes. */
export class RetentionRunner implements OnApplicationShutdown {
  constructor(private readonly retention: Retention) {}

  /** Compacts old sessions now and then until the process ends. */
  start(): void {
    this.retention.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.retention.stop();
  }

  static readonly tell = (error: unknown): void =>
    log.error(`cannot compact sessions, trying again: ${reasonOf(error)}`);
  static readonly tellCompacted = ({ sessions, commits }: CompactedCount): void =>
    log.log(`compacted ${sessions} sessions of ${commits} commits`);
}
