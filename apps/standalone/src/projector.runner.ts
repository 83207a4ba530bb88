import { Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { Projector } from '@keyfold/projections';

/** Runs the projector from the start of the process to its end. */
export class ProjectorRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(private readonly projector: Projector) {}

  onApplicationBootstrap(): void {
    this.projector.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.projector.stop();
  }

  static readonly log = new Logger('Projector');
}
