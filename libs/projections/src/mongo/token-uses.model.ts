import mongoose, { type Connection } from 'mongoose';

/** The last use of the token whose `TokenUse.token` is the `_id`, in unix seconds. MongoDB removes it after `until`. */
export type TokenUseDocument = Readonly<{ _id: string; at: number; until: Date }>;

/** The name is from the time when only sessions had tokens. */
export const TOKEN_USES = 'session_uses';

const schema = new mongoose.Schema<TokenUseDocument>(
  { _id: String, at: Number, until: Date },
  { collection: TOKEN_USES, strict: 'throw', versionKey: false },
).index({ until: 1 }, { expireAfterSeconds: 0, name: 'until' });

/** Declares the collection of the uses of tokens on a connection. */
export const tokenUseModels = (connection: Connection) => [connection.model(TOKEN_USES, schema)];
