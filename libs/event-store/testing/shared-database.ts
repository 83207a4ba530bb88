import type { Connection } from 'mongoose';
import { freshDatabaseUri } from '../../../test/support/mongo/mongo-database.js';
import { migrateSchema } from '../src/mongo/mongo-schema.js';

/** The database of all tests of a file. Sharing it saves migrations, which take longer than most tests. */
export const sharedUri = freshDatabaseUri();
let isMigrated = false;

/** Migrates the shared database for the first test of a file, and empties it for each later one. */
export async function emptySharedDatabase(
  connection: Connection,
  models: Parameters<typeof migrateSchema>[1],
): Promise<void> {
  if (isMigrated)
    await Promise.all(models.map(({ collection }) => connection.collection(collection.name).deleteMany({})));
  else await migrateSchema(connection, models);
  isMigrated = true;
}
