import { z } from 'zod';

/** Messages that other services send to Keyfold. Unknown fields are ignored. */

const accountId = z.int().min(1).describe('The id of the account.');
const fingerprint = z
  .string()
  .regex(/^SHA256:[A-Za-z0-9+/]{43}$/)
  .describe('The fingerprint of the key, in the format of `ssh-keygen -lf`.');

/** The command `ssh-key.use`: a server verified a signature made with a key of an account. */
export const SshKeyUseMessage = z.object({
  account: accountId,
  fingerprint,
  address: z.string().min(1).max(64).describe('The IP address of the client, as seen by the server.'),
  time: z.iso
    .datetime({ offset: true })
    .describe('When the signature was verified: an RFC 3339 timestamp with `Z` or an offset.'),
});
export type SshKeyUseMessage = z.infer<typeof SshKeyUseMessage>;

/** The question `ssh-keys.look-up`: which keys may log in under a username. */
export const SshKeyLookUpRequest = z.object({
  username: z.string().min(1).max(4096).describe('The exact name of the account.'),
  fingerprint: fingerprint.optional().describe('Limits the reply to this key. The format is that of `ssh-keygen -lf`.'),
});
export type SshKeyLookUpRequest = z.infer<typeof SshKeyLookUpRequest>;

const LookedUpKey = z.object({
  keyId: z.int().min(1).describe('The id of the key; never reused.'),
  title: z.string().describe('The title that the owner gave the key.'),
  type: z.string().describe('For example `ssh-ed25519`.'),
  fingerprint,
  publicKey: z.string().describe('The key as a line of authorized_keys without a comment: type, space, base64.'),
  expires: z.iso
    .datetime()
    .optional()
    .describe('From when on servers must refuse the key, ISO 8601 in UTC. Missing if it never expires.'),
});

const LookedUpAccount = z.object({
  accountId,
  username: z.string().describe('The exact name of the account.'),
  permission: z
    .int()
    .min(-2147483648)
    .max(2147483647)
    .describe('The permissions as bits. Bit 10 allows reading over SFTP, bit 11 writing.'),
  keys: z.array(LookedUpKey).describe('The keys that may log in now, oldest first. Expired keys are left out.'),
});

/** The reply to `ssh-keys.look-up`. */
export const SshKeyLookUpReply = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    data: LookedUpAccount.nullable().describe(
      'Null if no key may log in under this name: the account is unknown, disabled or not allowed to use SFTP.',
    ),
  }),
  z.object({
    ok: z.literal(false),
    error: z.object({
      code: z.string().describe('A stable code in kebab-case.'),
      message: z.string().describe('A description of the error in English.'),
      retryable: z.boolean().describe('Whether the same question may succeed later.'),
    }),
  }),
]);
export type SshKeyLookUpReply = z.infer<typeof SshKeyLookUpReply>;
