import { reasonOf, StoreUnavailable } from '@keyfold/event-store';
import { connectOptions, UnusableDatabase } from '@keyfold/event-store/mongo';
import mongoose, { type Connection, type mongo } from 'mongoose';
import { InvalidConfiguration } from '@keyfold/process';
import { probe, type Probed } from './probe.js';

/** The server knows the user, but not with this password; or the user may not do what was asked (error_codes.yml of MongoDB). */
const REFUSED_USER = new Set<unknown>([13, 18, 8000]);

/** Clients that never connected, and were closed for that. */
const givenUp = new WeakSet<mongo.MongoClient>();

/**
 * Connects, again after a failure. One that was open once is left alone, also while its server is away: its client comes back by
 * itself, and mongoose would take what that one hears for the state of a second one. Throws `StoreUnavailable` when another try may
 * succeed; `InvalidConfiguration` and `UnusableDatabase` when none can before somebody changes something. No message contains the
 * password.
 */
export async function openConnection(connection: Connection, uri: string): Promise<void> {
  const begun: mongo.MongoClient | undefined = connection.getClient();
  try {
    if (begun && !givenUp.has(begun)) await connection.asPromise();
    else await connection.openUri(uri, { ...connectOptions });
  } catch (error) {
    await giveUp(connection.getClient());
    throw await refusal(error, uri);
  }
}

/** What a failed try leaves behind would go on looking for servers. There is nothing when the address is no address. */
async function giveUp(client: mongo.MongoClient | undefined): Promise<void> {
  if (!client) return;
  givenUp.add(client);
  await client.close();
}

async function refusal(error: unknown, uri: string): Promise<unknown> {
  if (!(error instanceof Error)) return error;
  const { MongoAPIError, MongoError, MongoParseError, MongoRuntimeError, MongoServerError } = mongoose.mongo;
  const message = withoutPassword(reasonOf(error), uri);
  if (error instanceof MongoParseError || error instanceof MongoAPIError || error instanceof MongoRuntimeError)
    return new InvalidConfiguration([`KEYFOLD_MONGODB_URI: ${message}`]);
  if (error instanceof MongoServerError && REFUSED_USER.has(error.code))
    return new UnusableDatabase(`MongoDB refuses the user of KEYFOLD_MONGODB_URI: ${message}`);
  if (error instanceof mongoose.Error.MongooseServerSelectionError)
    return judge(await probe(uri)) ?? away(message, error);
  const fromNetwork = error instanceof MongoError || 'syscall' in error;
  return fromNetwork ? away(message, error) : error;
}

const away = (message: string, cause: Error) => new StoreUnavailable(`MongoDB is not available: ${message}`, { cause });

/** A server that answers and is never selected is the wrong one, or not ready. */
function judge(found: Probed | undefined): Error | undefined {
  if (!found) return undefined;
  const { host, setName, initiated, wanted } = found;
  if (!initiated) return new StoreUnavailable(`the replica set of MongoDB at ${host} waits for rs.initiate()`);
  if (setName === undefined && wanted !== undefined)
    return new UnusableDatabase(
      `MongoDB at ${host} runs as a standalone server: start mongod with --replSet ${wanted} and run rs.initiate() once`,
    );
  if (setName !== undefined && wanted !== undefined && setName !== wanted)
    return new UnusableDatabase(
      `the replica set of MongoDB at ${host} is called "${setName}", but KEYFOLD_MONGODB_URI says "${wanted}"`,
    );
  return undefined;
}

function withoutPassword(message: string, uri: string): string {
  const [, password = ''] = /^[^:]+:\/\/[^:/@]*:([^@]*)@/.exec(uri) ?? [];
  if (password === '') return message;
  const plain = decoded(password);
  return message.replaceAll(password, '***').replaceAll(plain, '***');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
