import type { TestProject } from 'vitest/node';
import { findMongo, type MongoService } from './mongo-service.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The address of a MongoDB replica set that tests may use; `freshDatabase` makes databases on it. Empty when there is none. */
    mongodbUri: string;
    /** Why there is none. Tests that need MongoDB fail with it; the others run. */
    mongodbMissing: string;
  }
}

/** Projects of one run load this file each on their own and share one service. */
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
