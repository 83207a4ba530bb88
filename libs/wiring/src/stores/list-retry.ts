import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { reasonOf } from '@keyfold/event-store';
import { ProjectionRetry, type Projection, type StreamRef } from '@keyfold/projections';
import { RepeatedLine } from '@keyfold/process';

const log = new Logger('Projection');
const REBUILD = 'run `keyfold projections rebuild`, or start a worker';

const recovered = (refused: number) =>
  refused === 0
    ? log.log('the lists are up to date again')
    : log.error({ entries: refused }, `some entries of the lists are still behind: ${REBUILD}`);

/** Retries list entries that a command could not write after its commit, until the process ends: before the store closes. */
export class ListRetry implements OnApplicationShutdown {
  readonly #retry: ProjectionRetry;
  readonly #behind = new RepeatedLine();

  constructor(projection: Projection) {
    this.#retry = new ProjectionRetry(projection, recovered);
  }

  /** The `OnListBehind` of the `ListUpdates` of a `CommandRunner`. */
  readonly add = (ref: StreamRef<unknown>, error: unknown, correlation: string): void => {
    const waits = this.#retry.add(ref);
    const line = waits
      ? `a list may be behind, retrying: ${reasonOf(error)}`
      : `a list is behind, and too many entries wait for a retry: ${REBUILD}`;
    this.#behind.tell(line, (untold) => {
      const fields = { correlation, ...(untold > 0 && { untold }) };
      if (waits) log.warn(fields, line);
      else log.error(fields, line);
    });
  };

  async onApplicationShutdown(): Promise<void> {
    const left = await this.#retry.stop();
    if (left > 0) log.warn({ entries: left }, `list entries not written before the shutdown: ${REBUILD}`);
  }
}
