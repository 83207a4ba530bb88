import { Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { Projector } from '@keyfold/projections';

/** Brings the lists up to date before the first request, then runs the projector to the end of the process. */
export class ProjectorRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(private readonly projector: Projector) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.projector.catchUp();
    this.projector.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.projector.stop();
  }

  static readonly log = new Logger('Projector');
}
