import { Injectable, Logger, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, CommandRunner, StreamQueue } from '@keyfold/application';
import { AccountTurns, OpenListApi, OpenListMirror, UserMirror } from '@keyfold/openlist';
import { RepeatedLine } from '@keyfold/process';
import { StreamLoader } from '@keyfold/projections';
import { Sealer } from '@keyfold/security';
import { STORE_ADAPTERS, type StoreAdapters } from '../stores/store-adapters.js';

const adviceOn = (problem: string) =>
  problem.includes('certificate')
    ? 'OpenList is unavailable: its certificate is not trusted. Set NODE_EXTRA_CA_CERTS to its authority, or renew it'
    : 'OpenList is unavailable, requests to it are refused. Check KEYFOLD_OPENLIST_URL and OpenList';

/** Closes the connections to OpenList after the server and before the store. */
@Injectable()
class OpenListConnections implements OnApplicationShutdown {
  constructor(private readonly api: OpenListApi) {
    const log = new Logger('OpenList');
    const repeated = new RepeatedLine();
    api.availability.onLocked = () =>
      repeated.write('locked', (omitted) =>
        log.warn({ omitted }, 'OpenList refuses logins from an address after failed ones (429). See its log'),
      );
    api.availability.onChange((isAvailable) => {
      if (isAvailable) log.log('OpenList is available again');
      else log.warn({ reason: api.availability.problem }, adviceOn(api.availability.problem!));
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.api.close();
  }
}

@Module({})
export class OpenListModule {
  /** Provides `OpenListMirror` and `OpenListApi`. Needs the providers of `EventSourcingModule`, `Sealer` and `StreamQueue`. */
  static forRoot(settings: Readonly<{ url: string; token: string }>): DynamicModule {
    return {
      module: OpenListModule,
      providers: [
        { provide: OpenListApi, useFactory: () => OpenListApi.open(settings) },
        OpenListConnections,
        {
          provide: OpenListMirror,
          inject: [OpenListApi, StreamLoader, CommandRunner, Sealer, StreamQueue, STORE_ADAPTERS, Clock],
          useFactory: mirrorOf,
        },
      ],
      exports: [OpenListApi, OpenListMirror],
    };
  }
}

/** Connects the mirror with the parts of a process. Commands use it without a Nest application. */
export const mirrorOf = (
  api: OpenListApi,
  loader: StreamLoader,
  runner: CommandRunner,
  sealer: Sealer,
  queue: StreamQueue,
  { leases, feed }: Pick<StoreAdapters, 'leases' | 'feed'>,
  clock: Clock,
): OpenListMirror =>
  new OpenListMirror(
    api,
    loader,
    // A store with one slot belongs to one process.
    new AccountTurns(queue, feed.slots > 1 ? leases : undefined),
    new UserMirror(api, sealer, runner, () => clock.now()),
  );
