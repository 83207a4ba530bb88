import type { Connection, ConnectOptions, mongo } from 'mongoose';
import mongoose from 'mongoose';
import { StoreUnavailable } from '../event-store.errors.js';
import { reasonOf } from '../reason-of.js';

/**
 * How long an operation may wait for its answer and for a majority, and before that for a server that answers, in milliseconds. The
 * driver tries an operation twice, so after twice their sum at most a caller hears that the store is not available.
 */
const OPERATION_TIMEOUT = 5_000;

/**
 * When an operation is given up that the driver forgot: it waits for ever to write to a socket that ended while its buffer was full
 * (mongodb 7.8 without `timeoutMS`). Sooner than the slowest second try would end, so that an outage is told within 15 s.
 */
const STUCK_AFTER = 14_000;
const SELECTION_TIMEOUT = 2_500;

/**
 * What every process asks of MongoDB: writes that a new primary has too, reads of what no new primary can take back, and no waiting
 * for a server that is away. Decisions made on other reads could lose commits at a change of the primary.
 */
export const connectOptions: ConnectOptions = {
  w: 'majority',
  journal: true,
  readConcernLevel: 'majority',
  readPreference: 'primary',
  retryWrites: true,
  retryReads: true,
  // One more try also of what a server refuses because it has too much to do; the driver would make two.
  maxAdaptiveRetries: 1,
  // Shorter than the socket's, so that the server says what it came to.
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

/** A collection of the connection's database as the driver has it: documents go in and out as they are. */
export const collectionOf = <Document extends mongo.Document>(connection: Connection, name: string) =>
  connection.getClient().db(connection.name).collection<Document>(name);

/**
 * Runs an operation of the driver of one round trip; that the server is away, steps down or takes too long becomes `StoreUnavailable`.
 * What the operation came to is then unknown, and it may still be done later.
 */
export async function reaching<Result>(operation: () => Promise<Result>): Promise<Result> {
  const { promise: stuck, reject: giveUp } = Promise.withResolvers<never>();
  const watchdog = setTimeout(
    () => giveUp(new StoreUnavailable(`MongoDB has not answered for ${STUCK_AFTER} ms`)),
    STUCK_AFTER,
  );
  try {
    return await Promise.race([operation(), stuck]);
  } catch (error) {
    throw isOutage(error)
      ? new StoreUnavailable(`MongoDB is not available: ${reasonOf(error)}`, { cause: error })
      : error;
  } finally {
    clearTimeout(watchdog);
  }
}

/** Server answers that another try may not get: steps of an election, shutdowns, cursors that ended with them, time limits, a full disk (error_codes.yml of MongoDB). */
const OUTAGE_CODES = new Set<unknown>([
  6, 7, 43, 50, 64, 89, 91, 94, 100, 112, 134, 136, 146, 189, 202, 211, 216, 237, 246, 262, 317, 358, 365, 384, 9001,
  10107, 11600, 11601, 11602, 13435, 13436, 14031,
]);

/** What says of any answer that it is for this moment only: an election, or a server that has too much to do. */
const OUTAGE_LABELS = ['RetryableWriteError', 'SystemOverloadedError'];

/** Errors of the driver's own programming interface that come from a connection which ended meanwhile. */
const LOST_CONNECTION = new Set([
  'MongoNotConnectedError',
  'MongoTopologyClosedError',
  'MongoClientClosedError',
  'MongoServerClosedError',
  'MongoExpiredSessionError',
]);

function isOutage(error: unknown): error is Error {
  const { MongoError, MongoAPIError, MongoBulkWriteError, MongoRuntimeError } = mongoose.mongo;
  const { MongoServerError, MongoWriteConcernError } = mongoose.mongo;
  if (error instanceof MongoWriteConcernError) return true;
  if (error instanceof MongoBulkWriteError && error.result.getWriteConcernError()) return true;
  // The driver wraps in this whatever kept it from sending a batch of writes; what the server answered is no error inside it.
  if (error instanceof MongoBulkWriteError && error.errorResponse instanceof Error)
    return isOutage(error.errorResponse);
  if (error instanceof MongoServerError)
    return OUTAGE_CODES.has(error.code) || OUTAGE_LABELS.some((label) => error.hasErrorLabel(label));
  if (error instanceof MongoAPIError) return LOST_CONNECTION.has(error.name);
  if (error instanceof MongoError) return !(error instanceof MongoRuntimeError);
  return error instanceof mongoose.Error.MongooseServerSelectionError || isSystemError(error);
}

/** What the operating system says of a socket comes as it is when the second try of a write fails like the first. */
const isSystemError = (error: unknown): error is Error => error instanceof Error && 'syscall' in error;
