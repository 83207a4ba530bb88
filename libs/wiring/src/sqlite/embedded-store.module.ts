import { Module, type DynamicModule } from '@nestjs/common';
import { FolderLock } from '@keyfold/event-store/sqlite';
import { SecretsModule } from '../stores/secrets.module.js';
import { portProviders, storePorts } from '../stores/store-adapters.js';
import { generatedSealingKey, generatedTokenSecret, prepareDataFolder, protectDataFiles } from './data-folder.js';
import { EmbeddedStore } from './embedded-store.js';
import { StoreSharing } from './store-sharing.js';
import { sqliteAdapters } from './sqlite-adapters.js';

/** The settings of the embedded store. */
export type EmbeddedStoreSettings = Readonly<{
  KEYFOLD_DATA_DIR: string;
  KEYFOLD_TOKEN_SECRET?: string | undefined;
  KEYFOLD_SEALING_KEY?: string | undefined;
}>;

const ADAPTERS = Symbol('the adapters of the embedded store');

@Module({})
export class EmbeddedStoreModule {
  /**
   * Opens the data folder and provides the store and its secrets. A process must create this module only once, because it owns the
   * folder. Throws `FolderInUse`, `UnusableFile`, `InvalidConfiguration`.
   */
  static forRoot(settings: EmbeddedStoreSettings): DynamicModule {
    const folder = settings.KEYFOLD_DATA_DIR;
    prepareDataFolder(folder);
    const lock = new FolderLock(folder);
    protectDataFiles(folder);
    // Read before the database is created: if one exists, a missing key is lost and must not be generated.
    const secretTexts = {
      KEYFOLD_SEALING_KEY: settings.KEYFOLD_SEALING_KEY ?? generatedSealingKey(folder),
      KEYFOLD_TOKEN_SECRET: settings.KEYFOLD_TOKEN_SECRET ?? generatedTokenSecret(folder),
    };
    const secrets = SecretsModule.forRoot(secretTexts);
    const store = new EmbeddedStore(folder, lock);
    return {
      module: EmbeddedStoreModule,
      imports: [secrets],
      providers: [
        { provide: ADAPTERS, useValue: sqliteAdapters(store) },
        ...portProviders(ADAPTERS),
        { provide: StoreSharing, useValue: { share: () => ({ ...store.share(), secrets: secretTexts }) } },
      ],
      exports: [...storePorts, secrets, StoreSharing],
    };
  }
}
