import { connectOptions } from '@keyfold/event-store/mongo';
import mongoose, { type Connection } from 'mongoose';
import { randomUUID } from 'node:crypto';
import { afterAll, inject, onTestFinished } from 'vitest';

/**
 * A connection to an empty database of its own on the MongoDB of the test run, with the options of the product. It is dropped and
 * closed after the running test, or after the file when no test runs yet (`beforeAll`).
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

/** The address of an empty database as `freshDatabase` makes it, for processes that are given one; dropped like that one. */
export function freshDatabaseUri(): string {
  const { name, uri } = newDatabase();
  afterwards(() => drop(name));
  return uri;
}

/** The address of another database of the same service. Who logs in there keeps the database that knows the password. */
export function databaseUri(service: string, name: string): string {
  const [, hosts, known, options] = /^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/.exec(service) ?? [];
  if (hosts === undefined) throw new Error('the address of MongoDB has an unknown form');
  const query = new URLSearchParams(options);
  if (hosts.includes('@') && !query.has('authSource')) query.set('authSource', known || 'admin');
  return `${hosts}/${name}?${query.toString()}`;
}

function newDatabase() {
  const name = `keyfold-test-${randomUUID()}`;
  return { name, uri: databaseUri(serviceUri(), name) };
}

/** A test that needs MongoDB fails where there is none. */
function serviceUri(): string {
  const uri = inject('mongodbUri');
  if (!uri) throw new Error(inject('mongodbMissing'));
  return uri;
}

/** Databases are dropped by a connection of their own: that of the test may be closed, cut or point elsewhere by now. */
let dropping: Promise<Connection> | undefined;

async function drop(name: string): Promise<void> {
  dropping ??= mongoose.createConnection(serviceUri()).asPromise();
  await (await dropping).getClient().db(name).dropDatabase();
}

type Cleanup = () => Promise<void>;
const afterFile: Cleanup[] = [];

afterAll(async () => {
  for (const cleanup of afterFile.splice(0).toReversed()) await cleanup();
  await (await dropping)?.close();
  dropping = undefined;
});

function afterwards(cleanup: Cleanup): void {
  if (!duringTest(cleanup)) afterFile.push(cleanup);
}

/** Outside of a test vitest knows no end of one. */
function duringTest(cleanup: Cleanup): boolean {
  try {
    onTestFinished(cleanup);
    return true;
  } catch {
    return false;
  }
}
