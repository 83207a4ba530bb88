import { z } from 'zod';

/** What other services send to Keyfold. Fields that are not named here are ignored. */

const accountId = z.int().min(1).describe('The id of the account.');
const fingerprint = z
  .string()
  .regex(/^SHA256:[A-Za-z0-9+/]{43}$/)
  .describe('The fingerprint of the key, as `ssh-keygen -lf` prints it.');

/** The command `ssh-key.use`: a server saw a verified signature by a key of an account. */
export const SshKeyUseMessage = z.object({
  account: accountId,
  fingerprint,
  address: z.string().min(1).max(64).describe('The address that the client came from, as the server saw it.'),
  time: z.iso.datetime({ offset: true }).describe('When the signature was verified, RFC 3339 with `Z` or an offset.'),
});
export type SshKeyUseMessage = z.infer<typeof SshKeyUseMessage>;

/** The question `ssh-keys.look-up`: which keys may log in under a name. */
export const SshKeyLookUpRequest = z.object({
  username: z.string().min(1).max(4096).describe('The exact name of the account.'),
  fingerprint: fingerprint.optional().describe('Asks for this key alone, as `ssh-keygen -lf` prints it.'),
});
export type SshKeyLookUpRequest = z.infer<typeof SshKeyLookUpRequest>;

const LookedUpKey = z.object({
  keyId: z.int().min(1).describe('The id of the key; never used again.'),
  title: z.string().describe('What the owner calls the key.'),
  type: z.string().describe('For example `ssh-ed25519`.'),
  fingerprint,
  publicKey: z.string().describe('A line of authorized_keys without a comment: type, blank, base64.'),
});

const LookedUpAccount = z.object({
  accountId,
  username: z.string().describe('The exact name of the account.'),
  permission: z.int().min(-2147483648).max(2147483647).describe('Bits; 10 allows to read over SFTP, 11 to write.'),
  keys: z.array(LookedUpKey).describe('The keys that may log in, oldest first.'),
});

/** The answer to `ssh-keys.look-up`. */
export const SshKeyLookUpReply = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    data: LookedUpAccount.nullable().describe(
      'Null when nobody may log in with a key under this name: unknown, disabled, or not allowed to use SFTP.',
    ),
  }),
  z.object({
    ok: z.literal(false),
    error: z.object({
      code: z.string().describe('Stable, in kebab-case.'),
      message: z.string().describe('For people.'),
      retryable: z.boolean().describe('Whether the same question may be answered later.'),
    }),
  }),
]);
export type SshKeyLookUpReply = z.infer<typeof SshKeyLookUpReply>;
