import { z } from 'zod';

/** Fields that several public events share. Sets that may grow are plain strings, so that a new value breaks no subscriber. */
export const field = {
  accountId: z.int().min(1).describe('The id of the account; never used again.'),
  username: z.string().describe('The exact name of the account.'),
  basePath: z.string().describe('The folder that the account sees as its root.'),
  permission: z
    .int()
    .min(-2147483648)
    .max(2147483647)
    .describe('The rights of the account as bits of a signed 32-bit number.'),
  keyId: z.int().min(1).describe('The id of the key; never used again.'),
  fingerprint: z.string().describe('As `ssh-keygen -lf` prints it.'),
  sessionId: z.string().describe('The id of the session, the `jti` of its token.'),
  /** A timestamp, in the format of all public events. */
  time: (what: string) => z.iso.datetime().describe(`${what}, ISO 8601 in UTC.`),
};
