import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { reasonOf } from '@keyfold/event-store';
import type { Projector } from '@keyfold/projections';

const log = new Logger('Projector');

/** Runs the projector. On shutdown, it stops after the server has closed and before the store closes. */
export class ProjectorRunner implements OnApplicationShutdown {
  #started = false;

  constructor(private readonly projector: Projector) {}

  /** Starts to follow the feed. */
  start(): void {
    this.#started = true;
    this.projector.start();
  }

  /** Projects everything that is in the feed now, then starts. Returns early if `stopping` is aborted. */
  async startCaughtUp(stopping: AbortSignal): Promise<void> {
    const stop = () => void this.projector.stop();
    stopping.addEventListener('abort', stop, { once: true });
    await this.projector.catchUp();
    stopping.removeEventListener('abort', stop);
    this.start();
  }

  /** Readiness check: throws if the projector is not working. */
  check(): void {
    const { members, failing } = this.projector.status();
    if (members.length === 0) throw new Error('has not joined the other workers yet');
    if (failing) throw new Error('cannot read the feed, retrying');
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.#started) await this.projector.stop();
  }

  static readonly reportError = (error: unknown): void => log.error(`cannot project, retrying: ${reasonOf(error)}`);
}
