import type { DynamicModule } from '@nestjs/common';
import type { EmbeddedStoreSettings } from './sqlite/embedded-store.module.js';
import type { JoinableStore } from './sqlite/store-sharing.js';
import type { StartupContext } from './stores/until-available.js';

// Only the used store is loaded, because the driver of the other one costs startup time and memory.

/** Loads the embedded store and returns `EmbeddedStoreModule.forRoot`, which includes the secrets. */
export async function loadEmbeddedStoreModule(settings: EmbeddedStoreSettings): Promise<DynamicModule> {
  const { EmbeddedStoreModule } = await import('./sqlite/embedded-store.module.js');
  return EmbeddedStoreModule.forRoot(settings);
}

/** Loads the embedded store for a thread that does not own it and returns `JoinedStoreModule.forRoot`, which includes the secrets. */
export async function loadJoinedStoreModule(store: JoinableStore): Promise<DynamicModule> {
  const { JoinedStoreModule } = await import('./sqlite/joined-store.module.js');
  return JoinedStoreModule.forRoot(store);
}

/** Loads the MongoDB driver and returns `MongoStoreModule.forRoot`. */
export async function loadMongoStoreModule(uri: string, context: StartupContext): Promise<DynamicModule> {
  const { MongoStoreModule } = await import('./mongo/mongo-store.module.js');
  return MongoStoreModule.forRoot(uri, context);
}
