import type { DynamicModule } from '@nestjs/common';
import type { ProcessContext } from '../process/run-process.js';
import type { EmbeddedStoreSettings } from './embedded-store.module.js';

/** Only the store that is used is loaded: the driver of the other one costs time at every start, and memory. */

/** See `EmbeddedStoreModule.forRoot`. It brings the secrets along. */
export async function embeddedStore(settings: EmbeddedStoreSettings): Promise<DynamicModule> {
  const { EmbeddedStoreModule } = await import('./embedded-store.module.js');
  return EmbeddedStoreModule.forRoot(settings);
}

/** See `MongoStoreModule.forRoot`. */
export async function mongoStore(uri: string, context: ProcessContext): Promise<DynamicModule> {
  const { MongoStoreModule } = await import('./mongo-store.module.js');
  return MongoStoreModule.forRoot(uri, context);
}
