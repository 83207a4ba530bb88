import { z } from 'zod';
import { defineEvent } from './event-definition.js';
import { field } from './event-fields.js';

const { accountId, keyId, fingerprint, time } = field;
const release = { version: '1.0.1', since: '0.1.0' };

export const sshKeyEvents = {
  'ssh-key.added': defineEvent({
    ...release,
    title: 'An SSH key was added',
    when: 'An SSH key was added to an account.',
    data: z.object({
      accountId,
      keyId,
      title: z.string().describe('The title that the owner gave the key; unique within the account.'),
      type: z.string().describe('The key type, for example `ssh-ed25519`.'),
      publicKey: z
        .string()
        .describe('The public key as a line of `authorized_keys` without a comment: type, space, base64.'),
      fingerprint,
      bits: z.int().min(0).describe('The size of the key in bits.'),
      addedAt: time('When the key was added'),
    }),
    sample: {
      stream: 'ssh-keys-42',
      data: {
        accountId: 42,
        keyId: 44040193,
        title: 'laptop',
        type: 'ssh-ed25519',
        publicKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGu40a4PDH9B6j8zsI8UB1xVBeFmZ/ndl1506eukyPd8',
        fingerprint: 'SHA256:k1lHAp+X/5LUqIgy0k5fdf3U/UErM5dvAAZfY8RLJ1M',
        bits: 256,
        addedAt: '2026-01-15T12:00:00.000Z',
      },
    },
  }),
  'ssh-key.removed': defineEvent({
    ...release,
    title: 'An SSH key was removed',
    when: 'The owner or an administrator removed an SSH key. Servers must refuse it from then on.',
    data: z.object({ accountId, keyId, fingerprint }),
    sample: {
      stream: 'ssh-keys-42',
      data: {
        accountId: 42,
        keyId: 44040193,
        fingerprint: 'SHA256:k1lHAp+X/5LUqIgy0k5fdf3U/UErM5dvAAZfY8RLJ1M',
      },
    },
  }),
  'ssh-key.used': defineEvent({
    ...release,
    title: 'An SSH key was used',
    when: 'A server reported a login with an SSH key. Sent at most once per key every ten minutes.',
    data: z.object({ accountId, keyId, usedAt: time('When the signature was verified') }),
    sample: {
      stream: 'ssh-key-use-42',
      data: { accountId: 42, keyId: 44040193, usedAt: '2026-01-15T12:00:01.234Z' },
    },
  }),
};
