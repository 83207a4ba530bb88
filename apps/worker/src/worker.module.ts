import {
  Injectable,
  Logger,
  Module,
  type DynamicModule,
  type INestApplication,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { Clock, CommandRunner, SshKeyExpiry, type SshKeyExpiryParts } from '@keyfold/application';
import { reasonOf } from '@keyfold/reporting';
import type { Metrics } from '@keyfold/process';
import { Projection, Projector, Retention } from '@keyfold/projections';
import { readersBehind, STORE_ADAPTERS, type StoreAdapters } from '@keyfold/wiring';

/** Configuration of a worker, from the settings in docs/reference/settings.md. */
export type WorkerConfig = Readonly<{
  /** Milliseconds until the slots of an unresponsive process go to others (`KEYFOLD_LEASE_SECONDS`). */
  leaseMilliseconds: number;
  /** Days to keep a session after its token has expired; may be a fraction (`KEYFOLD_SESSION_DAYS`). */
  sessionDays: number;
}>;

/** Runs the projector. On shutdown, it stops after the server has closed and before the store closes. */
@Injectable()
export class ProjectorRunner implements OnApplicationShutdown {
  #started = false;

  constructor(private readonly projector: Projector) {}

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

  static readonly reportError = (error: unknown): void =>
    new Logger('Projector').error(`cannot project, retrying: ${reasonOf(error)}`);
}

/** Retention of sessions and expiry of SSH keys. On shutdown, they stop before the store closes. */
export class PeriodicWork implements OnApplicationShutdown {
  constructor(private readonly jobs: readonly Pick<Retention | SshKeyExpiry, 'start' | 'stop'>[]) {}

  start(): void {
    for (const job of this.jobs) job.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.jobs.map((job) => job.stop()));
  }
}

function retentionOf(stores: StoreAdapters, clock: Clock, sessionDays: number): Retention {
  const { store, compaction, readModels, feed, leases } = stores;
  const log = new Logger('Retention');
  const parts = { store, compaction, readModels, readers: readersBehind(stores), sessionDays, now: () => clock.now() };
  return new Retention(parts, feed, leases, {
    onCompacted: ({ sessions, commits }) => log.log(`compacted ${sessions} sessions of ${commits} commits`),
    onError: (error) => log.error(`cannot compact sessions, retrying: ${reasonOf(error)}`),
  });
}

function expiryOf(
  { readModels, leases }: StoreAdapters,
  parts: Pick<SshKeyExpiryParts, 'runner' | 'projection' | 'projector'>,
): SshKeyExpiry {
  const log = new Logger('SshKeyExpiry');
  const onError = (error: unknown) => log.error(`cannot announce expired SSH keys, retrying: ${reasonOf(error)}`);
  return new SshKeyExpiry({ ...parts, readModels, leases, onError });
}

/** Work of a process that depends on its settings, such as `Messages`. */
export type OptionalWork = Readonly<{
  moduleFor(ports: readonly DynamicModule[], leaseMilliseconds: number): DynamicModule;
}>;

@Module({})
export class WorkerModule {
  /**
   * Provides projector, retention, the expiry of SSH keys and the optional work. `ports` are the modules that provide the adapters of the
   * store and the handlers' dependencies.
   */
  static forRoot(
    ports: readonly DynamicModule[],
    config: WorkerConfig,
    optional: readonly OptionalWork[] = [],
  ): DynamicModule {
    return {
      module: WorkerModule,
      imports: [...ports, ...optional.map((work) => work.moduleFor(ports, config.leaseMilliseconds))],
      providers: [
        {
          provide: Projector,
          inject: [STORE_ADAPTERS, Projection],
          useFactory: ({ feed, leases }: StoreAdapters, projection: Projection) =>
            new Projector(feed, projection, leases, ProjectorRunner.reportError, config),
        },
        ProjectorRunner,
        {
          provide: PeriodicWork,
          inject: [STORE_ADAPTERS, Clock, CommandRunner, Projection, Projector],
          useFactory: (
            stores: StoreAdapters,
            clock: Clock,
            runner: CommandRunner,
            projection: Projection,
            projector: Projector,
          ) =>
            new PeriodicWork([
              retentionOf(stores, clock, config.sessionDays),
              expiryOf(stores, { runner, projection, projector }),
            ]),
        },
      ],
      exports: [ProjectorRunner, PeriodicWork],
    };
  }
}

/** Adds the metrics of the projector in this process. The lag is missing while the store is unavailable. */
export function measureProjector(app: INestApplication, metrics: Metrics): void {
  const projector = app.get(Projector, { strict: false });
  metrics.add(() => [{ name: 'keyfold_projector_slots', value: projector.status().positions.size }]);
  metrics.add(async () => {
    const { pendingCommits, oldestPendingAt = Infinity, parkedStreams } = await projector.lag();
    return [
      { name: 'keyfold_projector_pending_commits', value: pendingCommits },
      { name: 'keyfold_projector_oldest_unread_seconds', value: Math.max(0, Date.now() - oldestPendingAt) / 1_000 },
      { name: 'keyfold_projector_parked_streams', value: parkedStreams },
    ];
  });
}

export { openMessages, type Messages } from './open-messages.js';
export { openMirror, type Mirror } from './open-mirror.js';
