import mongoose, { type Connection } from 'mongoose';

/**
 * What a key counts; `_id` is the key. `blockedUntil` and `blockedBefore` (what a try that is given back leaves) in unix milliseconds.
 * `tries`: the latest tries that are counted. `before`: the document as it was before the last one of them.
 */
export type ThrottleDocument = Readonly<{
  _id: string;
  failures: number;
  blockedUntil: number;
  blockedBefore: number;
  expires: Date;
  tries?: readonly string[];
  before?: Partial<Omit<ThrottleDocument, '_id' | 'before'>>;
}>;

export const THROTTLE = 'throttle';

/** How long a document stays after its time, in seconds: the clocks of the database and of the gateways may differ. */
const CLOCK_DIFFERENCE = 3_600;

const throttleSchema = new mongoose.Schema<ThrottleDocument>(
  {
    _id: String,
    failures: Number,
    blockedUntil: Number,
    blockedBefore: Number,
    expires: Date,
    tries: [String],
    before: Object,
  },
  { collection: THROTTLE, strict: 'throw', versionKey: false },
).index({ expires: 1 }, { expireAfterSeconds: CLOCK_DIFFERENCE, name: 'expires' });

/** The collection of the throttle's counters, declared on a connection. */
export const throttleModels = (connection: Connection) => [connection.model(THROTTLE, throttleSchema)];
