import mongoose, { type Connection, type ConnectOptions, type mongo } from 'mongoose';
import { StoreUnavailable } from '../event-store.errors.js';
import { reasonOf } from '@keyfold/reporting';

/** How long an operation may wait for its answer and for a majority, in milliseconds. The driver tries an operation twice. */
const OPERATION_TIMEOUT = 5_000;

/**
 * When to abandon an operation, in milliseconds. Without `timeoutMS` the driver (mongodb 7.8) waits forever to write to a socket that
 * closed while its buffer was full. Less than 15 s, the time within which callers learn of an outage.
 */
const STUCK_AFTER = 14_000;
/** How long to wait for a server that can be reached, in milliseconds. */
const SELECTION_TIMEOUT = 2_500;

/**
 * Connection options of every process: writes that survive a failover, reads that no failover rolls back, and no waiting for a server
 * that is down. Decisions based on other reads could lose commits at a failover.
 */
export const connectOptions: ConnectOptions = {
  w: 'majority',
  journal: true,
  readConcernLevel: 'majority',
  readPreference: 'primary',
  retryWrites: true,
  retryReads: true,
  // One retry if the server is overloaded; the default is two.
  maxAdaptiveRetries: 1,
  // Shorter than the socket timeout, so that the server reports the outcome.
  wtimeoutMS: OPERATION_TIMEOUT - 1_000,
  socketTimeoutMS: OPERATION_TIMEOUT,
  waitQueueTimeoutMS: OPERATION_TIMEOUT,
  serverSelectionTimeoutMS: SELECTION_TIMEOUT,
  connectTimeoutMS: SELECTION_TIMEOUT,
  heartbeatFrequencyMS: 2_000,
  autoIndex: false,
  autoCreate: false,
  bufferCommands: false,
  ignoreUndefined: true,
};

/** Returns a collection of the driver, without the conversions of mongoose. */
export const collectionOf = <Document extends mongo.Document>(connection: Connection, name: string) =>
  connection.getClient().db(connection.name).collection<Document>(name);

/**
 * Runs a driver operation of one round trip. Throws `StoreUnavailable` if the server is unreachable, steps down or takes too long. The outcome
 * is then unknown: the operation may still be carried out later.
 */
export async function reaching<Result>(operation: () => Promise<Result>): Promise<Result> {
  const { promise: stuck, reject: giveUp } = Promise.withResolvers<never>();
  const watchdog = setTimeout(
    () => giveUp(new StoreUnavailable(`MongoDB did not answer within ${STUCK_AFTER} ms`)),
    STUCK_AFTER,
  );
  try {
    return await Promise.race([throwingOutages(operation), stuck]);
  } finally {
    clearTimeout(watchdog);
  }
}

/** Runs a driver operation that may take any time. Throws `StoreUnavailable` like `reaching`. */
export async function throwingOutages<Result>(operation: () => Promise<Result>): Promise<Result> {
  try {
    return await operation();
  } catch (error) {
    throw isMongoOutage(error)
      ? new StoreUnavailable(`MongoDB is not available: ${reasonOf(error)}`, { cause: error })
      : error;
  }
}

/** Error codes of the server that a retry may not meet: elections, shutdowns, lost cursors, time limits, full disk (error_codes.yml). */
const OUTAGE_CODES = new Set<unknown>([
  6, 7, 43, 50, 64, 89, 91, 94, 100, 112, 134, 136, 146, 189, 202, 211, 216, 237, 246, 262, 317, 358, 365, 384, 9001,
  10107, 11600, 11601, 11602, 13435, 13436, 14031,
]);

/** Error labels for temporary conditions: an election or an overloaded server. */
const OUTAGE_LABELS = ['RetryableWriteError', 'SystemOverloadedError'];

/** API errors of the driver that are caused by a closed connection. */
const LOST_CONNECTION = new Set([
  'MongoNotConnectedError',
  'MongoTopologyClosedError',
  'MongoClientClosedError',
  'MongoServerClosedError',
  'MongoExpiredSessionError',
]);

function isMongoOutage(error: unknown): error is Error {
  const { MongoError, MongoAPIError, MongoBulkWriteError, MongoRuntimeError } = mongoose.mongo;
  const { MongoServerError, MongoWriteConcernError } = mongoose.mongo;
  if (error instanceof MongoWriteConcernError) return true;
  if (error instanceof MongoBulkWriteError && error.result.getWriteConcernError()) return true;
  // The driver wraps the error that kept it from sending a batch. An answer of the server is not an Error inside it.
  if (error instanceof MongoBulkWriteError && error.errorResponse instanceof Error)
    return isMongoOutage(error.errorResponse);
  if (error instanceof MongoServerError)
    return OUTAGE_CODES.has(error.code) || OUTAGE_LABELS.some((label) => error.hasErrorLabel(label));
  if (error instanceof MongoAPIError) return LOST_CONNECTION.has(error.name);
  if (error instanceof MongoError) return !(error instanceof MongoRuntimeError);
  return error instanceof mongoose.Error.MongooseServerSelectionError || isSystemError(error);
}

/** Socket errors are not wrapped if the second attempt of a write fails like the first. */
const isSystemError = (error: unknown): error is Error => error instanceof Error && 'syscall' in error;

/**
 * Keeps reads from missing acknowledged commits after an election. A new primary has them all, but at first it does not know which of them
 * a majority has, so majority reads return old data. Therefore the first read from a new primary waits for a majority write. This write
 * changes nothing and comes after everything that the primary had at its election.
 */
export class PrimaryBarrier {
  #primary = '';
  #passing: Promise<void> | undefined;

  constructor(
    connection: Connection,
    private readonly collection: mongo.Collection<{ _id: string }>,
  ) {
    connection
      .getClient()
      .on('topologyDescriptionChanged', ({ newDescription }) => this.#noticePrimary(newDescription));
  }

  /**
   * Runs a read that sees everything acknowledged before it started. Repeats it if the primary changes in the meantime, because the driver
   * retries on the new primary without waiting for a write. Throws `StoreUnavailable`.
   */
  async read<Result>(operation: () => Promise<Result>): Promise<Result> {
    for (;;) {
      const primary = await this.#passed();
      const result = await reaching(operation);
      if (primary === this.#primary) return result;
    }
  }

  /** Resolves to the current primary once a majority has everything that the primary had at its election. */
  async #passed(): Promise<string> {
    for (;;) {
      const primary = this.#primary;
      await (this.#passing ??= this.#pass());
      if (primary === this.#primary) return primary;
    }
  }

  async #pass(): Promise<void> {
    try {
      await reaching(() => this.collection.updateOne({ _id: 'nothing' }, { $unset: { nothing: true } }));
    } catch (error) {
      this.#passing = undefined;
      throw error;
    }
  }

  /** The election id is new even if the same server is elected again. */
  #noticePrimary({ servers }: mongo.TopologyDescription): void {
    const primary = [...servers.values()].find(({ type }) => type === 'RSPrimary');
    if (!primary) return;
    const elected = `${primary.address} ${primary.electionId?.toHexString() ?? ''}`;
    if (elected === this.#primary) return;
    this.#primary = elected;
    this.#passing = undefined;
  }
}
