import { hash } from 'node:crypto';

/** Returns the fingerprint that `ssh-keygen -l -E md5` prints for a key, given its wire format in base64. */
export function md5FingerprintOf(blob: string): string {
  const digest = hash('md5', Buffer.from(blob, 'base64'), 'hex');
  return `MD5:${digest.match(/../g)!.join(':')}`;
}
