import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { reasonOf } from '@keyfold/event-store';
import type { Projector } from '@keyfold/projections';

const log = new Logger('Projector');

/** Runs the projector until the process ends: after the server has closed, and before the store does. */
export class ProjectorRunner implements OnApplicationShutdown {
  #started = false;

  constructor(private readonly projector: Projector) {}

  /** Follows the feed until the process ends. */
  start(): void {
    this.#started = true;
    this.projector.start();
  }

  /** As `start`, once everything that is in the feed now was projected, or the process was asked to end meanwhile. */
  async startCaughtUp(stopping: AbortSignal): Promise<void> {
    const stop = () => void this.projector.stop();
    stopping.addEventListener('abort', stop, { once: true });
    await this.projector.catchUp();
    stopping.removeEventListener('abort', stop);
    this.start();
  }

  /** For readiness: throws what is missing. */
  check(): void {
    const { members, failing } = this.projector.status();
    if (members.length === 0) throw new Error('has not joined the other workers yet');
    if (failing) throw new Error('cannot read the feed, trying again');
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.#started) await this.projector.stop();
  }

  static readonly tell = (error: unknown): void => log.error(`cannot project, trying again: ${reasonOf(error)}`);
}
