import mongoose, { type Connection } from 'mongoose';

/** The last use of a session, which is its `_id`, in unix seconds. MongoDB removes it after `until`. */
export type SessionUseDocument = Readonly<{ _id: string; at: number; until: Date }>;

export const SESSION_USES = 'session_uses';

const schema = new mongoose.Schema<SessionUseDocument>(
  { _id: String, at: Number, until: Date },
  { collection: SESSION_USES, strict: 'throw', versionKey: false },
).index({ until: 1 }, { expireAfterSeconds: 0, name: 'until' });

/** Declares the collection of the uses of sessions on a connection. */
export const sessionUseModels = (connection: Connection) => [connection.model(SESSION_USES, schema)];
