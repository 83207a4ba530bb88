import type { TestProject } from 'vitest/node';
import { findMongo, type MongoService } from './mongo-service.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /**
     * The address of a MongoDB replica set for tests; `freshDatabase` creates databases on it. Empty if there is none.
     */
    mongodbUri: string;
    /** The reason why there is none. Files that need MongoDB are left out with it; others run. */
    mongodbMissing: string;
  }
}

/** Shared because each project of a run loads this file separately. */
const shared = globalThis as { keyfoldTestMongo?: Promise<MongoService> };

export default async function setup(project: TestProject) {
  shared.keyfoldTestMongo ??= findMongo().catch(missing);
  const service = await shared.keyfoldTestMongo;
  project.provide('mongodbUri', service.uri);
  project.provide('mongodbMissing', service.missing ?? '');
  return async () => {
    delete shared.keyfoldTestMongo;
    await service.stop();
  };
}

function missing({ message }: Error): MongoService {
  return { uri: '', missing: message, stop: async () => {} };
}
