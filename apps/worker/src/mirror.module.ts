import { Logger, Module, type DynamicModule, type INestApplication } from '@nestjs/common';
import { Relay } from '@keyfold/messaging';
import { OpenListApi, OpenListMirror, OpenListOutlet } from '@keyfold/openlist';
import type { Health, Metrics, Sample } from '@keyfold/process';
import { reasonOf } from '@keyfold/reporting';
import { STORE_ADAPTERS, type StoreAdapters } from '@keyfold/wiring';
import { RelayRunner } from './relay-runner.js';

const log = new Logger('Mirror');

/** Runs the relay that carries changed accounts to OpenList. */
class MirrorRunner extends RelayRunner<OpenListOutlet> {
  /** Readiness check: returns why nothing is carried. The process can work without OpenList. */
  check(): string | undefined {
    if (!this.outlet.isReady) return 'OpenList does not answer; changes of accounts wait';
    const { problem } = this.relay.status();
    return problem === undefined ? this.problem : `changes of accounts wait: ${problem}`;
  }
}

@Module({})
export class MirrorModule {
  /** Carries changed accounts to OpenList. `ports` provide the store, `OpenListMirror` and `OpenListApi`. */
  static forRoot(ports: readonly DynamicModule[], leaseMilliseconds: number): DynamicModule {
    return {
      module: MirrorModule,
      imports: [...ports],
      providers: [
        {
          provide: MirrorRunner,
          inject: [STORE_ADAPTERS, OpenListMirror, OpenListApi],
          useFactory: (stores: StoreAdapters, mirror: OpenListMirror, { availability }: OpenListApi) => {
            const outlet = new OpenListOutlet(mirror, availability);
            const relay = new Relay(stores.feed, outlet, stores.leases, stores.parkedMirrors, {
              leaseMilliseconds,
              onError: (error) => log.error(`cannot carry accounts to OpenList, retrying: ${reasonOf(error)}`),
              onParked: ({ partition: account, position, error }) =>
                log.error({ account, position, error }, 'an account is parked because OpenList cannot mirror it'),
            });
            return new MirrorRunner(relay, outlet);
          },
        },
      ],
    };
  }
}

const runnerOf = (app: INestApplication) => app.get(MirrorRunner, { strict: false });

export const startMirror = (app: INestApplication): void => runnerOf(app).start();

/** Adds a readiness check, which never fails, for a process that does not forward requests. */
export const checkMirror = (app: INestApplication, health: Health): void =>
  health.add('openlist', () => runnerOf(app).check());

/** Adds the metrics of the relay to OpenList. The lag is missing while the store is unavailable. */
export function measureMirror(app: INestApplication, metrics: Metrics): void {
  const { relay, outlet } = runnerOf(app);
  metrics.add((): Sample[] => [
    { name: 'keyfold_openlist_up', value: outlet.isReady ? 1 : 0 },
    { name: 'keyfold_openlist_carried_total', value: outlet.carried },
    { name: 'keyfold_openlist_parked_accounts', value: relay.status().parked },
  ]);
  metrics.add(async (): Promise<Sample[]> => {
    const now = Date.now();
    const { pendingCommits, oldestPendingAt = now } = await relay.lag();
    return [
      { name: 'keyfold_openlist_pending_commits', value: pendingCommits },
      { name: 'keyfold_openlist_oldest_pending_seconds', value: Math.max(0, now - oldestPendingAt) / 1_000 },
    ];
  });
}
