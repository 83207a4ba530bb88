import { StoreUnavailable } from '@keyfold/event-store';
import { reasonOf } from '@keyfold/reporting';
import { connectOptions, UnusableDatabase } from '@keyfold/event-store/mongo';
import mongoose, { type Connection, type mongo } from 'mongoose';
import { InvalidConfiguration } from '@keyfold/process';

/** Error codes for a wrong password or missing permissions (error_codes.yml of MongoDB). */
const ACCESS_DENIED = new Set<unknown>([13, 18, 8000]);

/** Clients that were closed because they never connected. */
const abandoned = new WeakSet<mongo.MongoClient>();

/**
 * Connects, or reconnects after a failed attempt. A connection that was open once reconnects by itself; opening it again would confuse
 * the state that mongoose keeps. Throws `StoreUnavailable` if a retry may succeed, otherwise `InvalidConfiguration` or
 * `UnusableDatabase`. No message contains the password.
 */
export async function openConnection(connection: Connection, uri: string): Promise<void> {
  const client: mongo.MongoClient | undefined = connection.getClient();
  try {
    if (client && !abandoned.has(client)) await connection.asPromise();
    else await connection.openUri(uri, { ...connectOptions });
  } catch (error) {
    await abandon(connection.getClient());
    throw await startupError(error, uri);
  }
}

/** Closes the client of a failed attempt, which would keep looking for servers. An invalid connection string leaves no client. */
async function abandon(client: mongo.MongoClient | undefined): Promise<void> {
  if (!client) return;
  abandoned.add(client);
  await client.close();
}

async function startupError(error: unknown, uri: string): Promise<unknown> {
  if (!(error instanceof Error)) return error;
  const { MongoAPIError, MongoError, MongoParseError, MongoRuntimeError, MongoServerError } = mongoose.mongo;
  const message = withoutPassword(reasonOf(error), uri);
  if (error instanceof MongoParseError || error instanceof MongoAPIError || error instanceof MongoRuntimeError)
    return new InvalidConfiguration([`KEYFOLD_MONGODB_URI: ${message}`]);
  if (error instanceof MongoServerError && ACCESS_DENIED.has(error.code))
    return new UnusableDatabase(`MongoDB rejects the user of KEYFOLD_MONGODB_URI: ${message}`);
  if (error instanceof mongoose.Error.MongooseServerSelectionError)
    return diagnose(await probe(uri)) ?? unavailable(message, error);
  const fromNetwork = error instanceof MongoError || 'syscall' in error;
  return fromNetwork ? unavailable(message, error) : error;
}

const unavailable = (message: string, cause: Error) =>
  new StoreUnavailable(`MongoDB is not available: ${message}`, { cause });

/** A server that responds but is never selected is the wrong one or not ready. */
function diagnose(found: Probed | undefined): Error | undefined {
  if (!found) return undefined;
  const { host, setName, initiated, wanted } = found;
  if (!initiated)
    return new StoreUnavailable(`the replica set of MongoDB at ${host} is not initiated. Run rs.initiate()`);
  if (setName === undefined && wanted !== undefined)
    return new UnusableDatabase(
      `MongoDB at ${host} is a standalone server. Start mongod with --replSet ${wanted}, then run rs.initiate() once`,
    );
  if (setName !== undefined && wanted !== undefined && setName !== wanted)
    return new UnusableDatabase(
      `the replica set of MongoDB at ${host} is "${setName}", but KEYFOLD_MONGODB_URI names "${wanted}"`,
    );
  return undefined;
}

function withoutPassword(message: string, uri: string): string {
  const [, password = ''] = /^[^:]+:\/\/[^:/@]*:([^@]*)@/.exec(uri) ?? [];
  if (password === '') return message;
  const masked = message.replaceAll(password, '***');
  try {
    return masked.replaceAll(decodeURIComponent(password), '***');
  } catch {
    return masked;
  }
}

/** The replica set of a server, whether it is initiated, and which one the connection string names (`wanted`). */
type Probed = Readonly<{
  host: string;
  setName: string | undefined;
  initiated: boolean;
  wanted: string | undefined;
}>;

/** How long each server may take to respond (milliseconds). */
const PROBE_TIMEOUT = 1_000;

/**
 * Queries the hosts of a connection string directly and without credentials, because the driver does not report why it skips a server.
 * Returns the first response, or undefined if no host responds.
 */
async function probe(uri: string): Promise<Probed | undefined> {
  const [, hosts, query = ''] = /^mongodb:\/\/(?:[^@]*@)?([^/]+)\/[^?]*\??(.*)$/.exec(uri) ?? [];
  // With +srv the hosts come from DNS, which reports wrong names.
  if (hosts === undefined) return undefined;
  const options = new URLSearchParams(query);
  const wanted = options.get('replicaSet') ?? undefined;
  const transport = new URLSearchParams([...options].filter(([name]) => /^(?:tls|ssl)/i.test(name)));
  for (const host of hosts.split(',')) {
    const hello = await helloOf(`mongodb://${host}/?${transport.toString()}`);
    if (hello) return { host, setName: hello.setName, initiated: hello.isreplicaset !== true, wanted };
  }
  return undefined;
}

/** `isreplicaset` without `setName`: started with --replSet but not initiated. */
type Hello = { setName?: string; isreplicaset?: boolean };

async function helloOf(uri: string): Promise<Hello | undefined> {
  const client = new mongoose.mongo.MongoClient(uri, {
    directConnection: true,
    serverSelectionTimeoutMS: PROBE_TIMEOUT,
    connectTimeoutMS: PROBE_TIMEOUT,
    socketTimeoutMS: PROBE_TIMEOUT,
    waitQueueTimeoutMS: PROBE_TIMEOUT,
    readPreference: 'nearest',
  });
  try {
    await client.connect();
    return (await client.db('admin').command({ hello: 1 })) as Hello;
  } catch {
    return undefined;
  } finally {
    await client.close();
  }
}
