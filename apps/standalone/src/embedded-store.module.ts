import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { Counter, EventStore } from '@keyfold/event-store';
import {
  eventStoreSchema,
  FolderLock,
  SqliteCounter,
  SqliteEventStore,
  SqliteFile,
  UnusableFile,
} from '@keyfold/event-store/sqlite';
import { GatewayConfig } from '@keyfold/gateway';
import { CheckpointStore, ReadModelStore } from '@keyfold/projections';
import { readModelTables, SqliteCheckpointStore, SqliteReadModelStore } from '@keyfold/projections/sqlite';
import { parseSealingKeys, Sealer, ThrottleStore } from '@keyfold/security';
import { SqliteThrottleStore, throttleTable } from '@keyfold/security/sqlite';
import { createSecretKey } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { generatedSealingKey, generatedTokenSecret, prepareDataFolder } from './data-folder.js';
import { serviceVersion } from './service-version.js';
import type { StandaloneConfig } from './standalone.config.js';

/** The files of the embedded store: what must survive a power cut, and what can be made again from it or may be lost. */
class EmbeddedStore implements OnApplicationShutdown {
  readonly events: SqliteFile;
  readonly views: SqliteFile;

  /** The folder must be locked before. Throws `UnusableFile`. */
  constructor(
    folder: string,
    private readonly lock: FolderLock,
  ) {
    this.events = new SqliteFile(join(folder, 'keyfold.db'), eventStoreSchema);
    this.views = new SqliteFile(join(folder, 'views.db'), {
      version: 1,
      synchronous: 'NORMAL',
      sql: `${readModelTables}; ${throttleTable}`,
    });
    this.#requireOneHistory(folder);
  }

  /** After a restore of keyfold.db alone, the read models would show what the log does not hold. */
  #requireOneHistory(folder: string): void {
    const [log] = this.events.read('SELECT coalesce(max(position), 0) AS head FROM commits');
    const [views] = this.views.read('SELECT coalesce(max(position), 0) AS head FROM checkpoints');
    if (Number(views!['head']) <= Number(log!['head'])) return;
    throw new UnusableFile(
      `views.db in ${folder} is ahead of keyfold.db, so keyfold.db was restored from an older copy: delete views.db, it is made again`,
    );
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.events.close(), this.views.close()]);
    this.lock.release();
  }
}

@Module({})
export class EmbeddedStoreModule {
  /** Opens the data folder (throws `FolderInUse`, `UnusableFile`, `InvalidConfiguration`); two modules of one process would be two owners of it, so make one and share it. */
  static forRoot(config: StandaloneConfig): DynamicModule {
    const folder = config.KEYFOLD_DATA_DIR;
    prepareDataFolder(folder);
    const lock = new FolderLock(folder);
    const sealingKeys = config.KEYFOLD_SEALING_KEY ?? generatedSealingKey(folder);
    const secret = config.KEYFOLD_TOKEN_SECRET ?? generatedTokenSecret(folder);
    const store = new EmbeddedStore(folder, lock);
    return {
      module: EmbeddedStoreModule,
      // A key object, because a text is parsed anew for every token.
      imports: [JwtModule.register({ secret: createSecretKey(Buffer.from(secret)) })],
      providers: [
        { provide: EmbeddedStore, useValue: store },
        { provide: EventStore, useValue: new SqliteEventStore(store.events) },
        { provide: Counter, useValue: new SqliteCounter(store.events) },
        { provide: ReadModelStore, useValue: new SqliteReadModelStore(store.views) },
        { provide: CheckpointStore, useValue: new SqliteCheckpointStore(store.views) },
        { provide: ThrottleStore, useValue: new SqliteThrottleStore(store.views) },
        { provide: Sealer, useValue: new Sealer(parseSealingKeys(sealingKeys)) },
        { provide: GatewayConfig, useValue: gatewayConfig(config) },
      ],
      exports: [EventStore, Counter, ReadModelStore, CheckpointStore, ThrottleStore, Sealer, GatewayConfig, JwtModule],
    };
  }
}

function gatewayConfig({ KEYFOLD_TRUSTED_PROXIES, KEYFOLD_TOKEN_HOURS }: StandaloneConfig): GatewayConfig {
  return {
    trustedProxies: KEYFOLD_TRUSTED_PROXIES,
    tokenHours: KEYFOLD_TOKEN_HOURS,
    version: serviceVersion,
    // The store is at hand, so ids need no blocks and have no gaps.
    accountIdBlock: 1,
    // One core stays free for everything that is not a password; a full queue is about two seconds of work.
    hashing: { concurrency: Math.max(1, availableParallelism() - 1), maxWaiting: 200 },
  };
}
