import { Module, type DynamicModule } from '@nestjs/common';
import { SqliteConnection } from '@keyfold/event-store/sqlite';
import { SecretsModule } from '../stores/secrets.module.js';
import { portProviders, storePorts, type OpenSqliteStore } from '../stores/store-adapters.js';
import {
  closeDataFolder,
  generatedSealingKey,
  generatedTokenSecret,
  openLocked,
  prepareDataFolder,
  protectDataFiles,
} from './data-folder.js';
import { EmbeddedStore, StoreConnections } from './embedded-store.js';
import { StoreSharing, type JoinableStore } from './store-sharing.js';

export type EmbeddedStoreSettings = Readonly<{
  KEYFOLD_DATA_DIR: string;
  KEYFOLD_TOKEN_SECRET?: string | undefined;
  KEYFOLD_SEALING_KEY?: string | undefined;
}>;

@Module({})
export class EmbeddedStoreModule {
  /**
   * Opens the data folder and provides the store and its secrets. A process must create this module only once, because it owns the
   * folder. Throws `FolderInUse`, `UnusableFile`, `InvalidConfiguration`.
   */
  static async forRoot(settings: EmbeddedStoreSettings): Promise<DynamicModule> {
    const folder = settings.KEYFOLD_DATA_DIR;
    prepareDataFolder(folder);
    return openLocked(folder, async (lock) => {
      protectDataFiles(folder);
      // Read before the database is created: if one exists, a missing key is lost and must not be generated.
      const secretTexts = {
        KEYFOLD_SEALING_KEY: settings.KEYFOLD_SEALING_KEY ?? generatedSealingKey(folder),
        KEYFOLD_TOKEN_SECRET: settings.KEYFOLD_TOKEN_SECRET ?? generatedTokenSecret(folder),
      };
      const secrets = SecretsModule.forRoot(secretTexts);
      const store = await EmbeddedStore.open(folder, lock);
      return {
        module: EmbeddedStoreModule,
        imports: [secrets],
        providers: [
          ...portProviders({ useValue: store.adapters }),
          { provide: StoreSharing, useValue: { share: () => ({ ...store.share(), secrets: secretTexts }) } },
        ],
        exports: [...storePorts, secrets, StoreSharing],
      };
    });
  }
}

/** The embedded store in a thread that does not own it. */
@Module({})
export class JoinedStoreModule {
  /** Connects to the store that another thread has open. */
  static forRoot({ events, views, secrets }: JoinableStore): DynamicModule {
    const store = new StoreConnections(new SqliteConnection(events), new SqliteConnection(views));
    const secretsModule = SecretsModule.forRoot(secrets);
    return {
      module: JoinedStoreModule,
      imports: [secretsModule],
      providers: portProviders({ useValue: store.adapters }),
      exports: [...storePorts, secretsModule],
    };
  }
}

/** See `openSqliteStore`. */
export async function openSqlite(folder: string): Promise<OpenSqliteStore> {
  closeDataFolder(folder);
  return openLocked(folder, async (lock) => {
    protectDataFiles(folder);
    const store = await EmbeddedStore.open(folder, lock);
    return {
      adapters: store.adapters,
      sealingKeys: () => generatedSealingKey(folder),
      close: () => store.onApplicationShutdown(),
    };
  });
}
