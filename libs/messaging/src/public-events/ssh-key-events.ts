import { z } from 'zod';
import { defineEvent } from './event-definition.js';
import { field } from './event-fields.js';

const { accountId, keyId, fingerprint, time } = field;
const first = { version: '1.0.0', since: '0.1.0' };

export const sshKeyEvents = {
  'ssh-key.added': defineEvent({
    ...first,
    title: 'An SSH key was added',
    when: 'An account added a public key.',
    data: z.object({
      accountId,
      keyId,
      title: z.string().describe('What the owner calls the key; unique among the keys of the account.'),
      type: z.string().describe('For example `ssh-ed25519`.'),
      publicKey: z.string().describe('A line of authorized_keys without a comment: type, blank, base64.'),
      fingerprint,
      bits: z.int().min(0).describe('The size of the key.'),
      addedAt: time('When it was added'),
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
    ...first,
    title: 'An SSH key was removed',
    when: 'An account or an administrator removed a public key: it must be refused from then on.',
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
    ...first,
    title: 'An SSH key was used',
    when: 'A server reported a login with a key; at most one is sent per key and ten minutes.',
    data: z.object({ accountId, keyId, usedAt: time('When the signature was verified') }),
    sample: {
      stream: 'ssh-key-use-42',
      data: { accountId: 42, keyId: 44040193, usedAt: '2026-01-15T12:00:01.234Z' },
    },
  }),
};
