import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { reasonOf } from '@keyfold/event-store';
import { Projection, ProjectionRetry, type StreamRef } from '@keyfold/projections';
import { RepeatedLine } from '@keyfold/process';

const log = new Logger('Projection');
const ADVICE = 'Run `keyfold projections rebuild` or start a worker';

const recovered = (refused: number) =>
  refused === 0
    ? log.log('the lists are up to date again')
    : log.error({ entries: refused }, `list entries are stale. ${ADVICE}`);

/** Retries list entries that a command could not write after its commit. Stops before the store closes. */
@Injectable()
export class ListRetry implements OnApplicationShutdown {
  readonly #retry: ProjectionRetry;
  readonly #line = new RepeatedLine();

  constructor(projection: Projection) {
    this.#retry = new ProjectionRetry(projection, recovered);
  }

  /** Adds an entry to retry; the `OnListBehind` of `ListUpdates`. */
  readonly add = (ref: StreamRef<unknown>, error: unknown, correlation: string): void => {
    const isQueued = this.#retry.add(ref);
    const text = isQueued
      ? `a list may be stale, retrying: ${reasonOf(error)}`
      : `a list is stale, too many entries to retry. ${ADVICE}`;
    this.#line.write(text, (omitted) => {
      const fields = { correlation, ...(omitted > 0 && { omitted }) };
      if (isQueued) log.warn(fields, text);
      else log.error(fields, text);
    });
  };

  async onApplicationShutdown(): Promise<void> {
    const left = await this.#retry.stop();
    if (left > 0) log.warn({ entries: left }, `stale list entries at shutdown. ${ADVICE}`);
  }
}
