import { connectOptions } from '@keyfold/event-store/mongo';
import mongoose, { type Connection } from 'mongoose';
import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { afterwards } from '../afterwards.js';
import { needsStarted } from '../needs.js';

await needsStarted('MongoDB', () => inject('mongodbMissing'));

/**
 * Opens a connection with production options to a new, empty database on the test run's MongoDB. Drops and closes it
 * after the running test, or after the file if called outside of a test (`beforeAll`).
 */
export async function freshDatabase(): Promise<Connection> {
  const { name, uri } = newDatabase();
  const connection = await mongoose.createConnection(uri, connectOptions).asPromise();
  afterwards(async () => {
    await connection.close();
    await drop(name);
  });
  return connection;
}

/** Returns the address of a new, empty database, for processes. Drops it as `freshDatabase` does. */
export function freshDatabaseUri(): string {
  const { name, uri } = newDatabase();
  afterwards(() => drop(name));
  return uri;
}

/** Returns the address of another database of the same service. Keeps the authentication database of the user. */
export function databaseUri(service: string, name: string): string {
  const [, hosts, known, options] = /^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/.exec(service) ?? [];
  if (hosts === undefined) throw new Error('unknown form of MongoDB address');
  const query = new URLSearchParams(options);
  if (hosts.includes('@') && !query.has('authSource')) query.set('authSource', known || 'admin');
  return `${hosts}/${name}?${query.toString()}`;
}

function newDatabase() {
  const name = `keyfold-test-${randomUUID()}`;
  return { name, uri: databaseUri(inject('mongodbUri'), name) };
}

/** Drops databases on a separate connection, because the test's own may be closed, cut or redirected. It stays open. */
let dropping: Promise<Connection> | undefined;

async function drop(name: string): Promise<void> {
  dropping ??= mongoose.createConnection(inject('mongodbUri')).asPromise();
  await (await dropping).getClient().db(name).dropDatabase();
}
