import { Module, type DynamicModule } from '@nestjs/common';
import { FolderLock } from '@keyfold/event-store/sqlite';
import { SecretsModule } from '../stores/secrets.module.js';
import { portProviders, storePorts } from '../stores/store-adapters.js';
import { generatedSealingKey, generatedTokenSecret, prepareDataFolder, protectDataFiles } from './data-folder.js';
import { EmbeddedStore } from './embedded-store.js';
import { sqliteAdapters } from './sqlite-adapters.js';

export type EmbeddedStoreSettings = Readonly<{
  KEYFOLD_DATA_DIR: string;
  KEYFOLD_TOKEN_SECRET?: string | undefined;
  KEYFOLD_SEALING_KEY?: string | undefined;
}>;

const ADAPTERS = Symbol('the adapters of the embedded store');

@Module({})
export class EmbeddedStoreModule {
  /**
   * The store of one process, with the secrets beside it. Opens the data folder (throws `FolderInUse`, `UnusableFile`,
   * `InvalidConfiguration`); two modules of one process would be two owners of it, so make one and share it.
   */
  static forRoot(settings: EmbeddedStoreSettings): DynamicModule {
    const folder = settings.KEYFOLD_DATA_DIR;
    prepareDataFolder(folder);
    const lock = new FolderLock(folder);
    protectDataFiles(folder);
    // Before the database is made: a key that is missing beside one is lost and must not be generated.
    const secrets = SecretsModule.forRoot({
      KEYFOLD_SEALING_KEY: settings.KEYFOLD_SEALING_KEY ?? generatedSealingKey(folder),
      KEYFOLD_TOKEN_SECRET: settings.KEYFOLD_TOKEN_SECRET ?? generatedTokenSecret(folder),
    });
    const store = new EmbeddedStore(folder, lock);
    return {
      module: EmbeddedStoreModule,
      imports: [secrets],
      providers: [{ provide: ADAPTERS, useValue: sqliteAdapters(store) }, ...portProviders(ADAPTERS)],
      exports: [...storePorts, secrets],
    };
  }
}
