import mongoose, { type Connection } from 'mongoose';

/**
 * The counter of a key, which is its `_id`. `blockedUntil` and `blockedBefore` (the value that a refund restores) are in unix
 * milliseconds. `tries`: the ids of the latest attempts. `before`: the document as it was before the last of them.
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

/** How long MongoDB keeps an expired document, in seconds, because its clock may differ from those of the gateways. */
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

/** Declares the collection of the throttle's counters on a connection. */
export const throttleModels = (connection: Connection) => [connection.model(THROTTLE, throttleSchema)];
