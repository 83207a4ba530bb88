import { z } from 'zod';
import { defineEvent, field } from './event-definition.js';

const { accountId, keyId, fingerprint, keyExpires, time } = field;
const title = z.string().describe('The title that the owner gave the key; unique within the account.');
const stream = 'ssh-keys-42';
const sampleFingerprint = 'SHA256:k1lHAp+X/5LUqIgy0k5fdf3U/UErM5dvAAZfY8RLJ1M';
/** The fields that identify a key in the events of its account. */
const sampleKey = { accountId: 42, keyId: 44040193 };

export const sshKeyEvents = {
  'ssh-key.added': defineEvent({
    title: 'An SSH key was added',
    when: 'An SSH key was added to an account.',
    data: z.object({
      accountId,
      keyId,
      title,
      type: z.string().describe('The key type, for example `ssh-ed25519`.'),
      publicKey: z
        .string()
        .describe('The public key as a line of `authorized_keys` without a comment: type, space, base64.'),
      fingerprint,
      bits: z.int().min(0).describe('The size of the key in bits.'),
      addedAt: time('When the key was added'),
      expires: keyExpires,
    }),
    sample: {
      stream,
      data: {
        ...sampleKey,
        title: 'laptop',
        type: 'ssh-ed25519',
        publicKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGu40a4PDH9B6j8zsI8UB1xVBeFmZ/ndl1506eukyPd8',
        fingerprint: sampleFingerprint,
        bits: 256,
        addedAt: '2026-01-15T12:00:00.000Z',
      },
    },
  }),
  'ssh-key.removed': defineEvent({
    title: 'An SSH key was removed',
    when: 'The owner or an administrator removed an SSH key. Servers must refuse it from then on.',
    data: z.object({ accountId, keyId, fingerprint }),
    sample: { stream, data: { ...sampleKey, fingerprint: sampleFingerprint } },
  }),
  'ssh-key.renamed': defineEvent({
    title: 'An SSH key was renamed',
    when: 'The owner gave an SSH key another title.',
    data: z.object({ accountId, keyId, title }),
    sample: { stream, data: { ...sampleKey, title: 'old laptop' } },
  }),
  'ssh-key.expiry-changed': defineEvent({
    title: 'The expiry of an SSH key changed',
    when: 'The owner set, moved or cleared the expiry of an SSH key. An expired key is valid again until the new expiry.',
    data: z.object({ accountId, keyId, expires: keyExpires }),
    sample: { stream, data: { ...sampleKey, expires: '2026-02-15T12:00:00.000Z' } },
  }),
  'ssh-key.expired': defineEvent({
    title: 'An SSH key expired',
    when: 'The expiry of an SSH key has passed. Servers must refuse it until it gets another expiry.',
    data: z.object({ accountId, keyId, fingerprint, expires: time('When the key expired') }),
    sample: { stream, data: { ...sampleKey, fingerprint: sampleFingerprint, expires: '2026-02-15T12:00:00.000Z' } },
  }),
  'ssh-key.used': defineEvent({
    title: 'An SSH key was used',
    when: 'A server reported a login with an SSH key. Sent at most once per key every ten minutes.',
    data: z.object({ accountId, keyId, usedAt: time('When the signature was verified') }),
    sample: { stream: 'ssh-key-use-42', data: { ...sampleKey, usedAt: '2026-01-15T12:00:01.234Z' } },
  }),
};
