import { sshKeyRingAggregate, upcast, type PublicKey, type SshKeyAdded } from '@keyfold/domain';
import type { Commit } from '@keyfold/event-store';
import { hash } from 'node:crypto';

/**
 * An entry of the index of SSH keys: an account that added a key, and the beginnings of the key's SHA-256 and MD5 fingerprints. Short
 * numbers keep the index small, which decides what an insert costs. The ring of the account shows whether it has the key.
 */
export type KeyOwner = Readonly<{ accountId: number; prefixes: readonly [sha256: number, md5: number] }>;

/**
 * Returns an entry for each key that was added in the commits. Leaves out events that this version of the program cannot read. Their streams
 * are parked, and enter the index when they are retried.
 */
export const keyOwnersIn = (commits: readonly Commit[]): KeyOwner[] =>
  commits.filter(({ stream }) => stream.startsWith(sshKeyRingAggregate.streamPrefix)).flatMap(ownersIn);

const ownersIn = ({ partition, events }: Commit): KeyOwner[] =>
  events
    .filter(({ type }) => type === 'SshKeyAdded')
    .flatMap((stored) => {
      try {
        const { key } = (upcast(sshKeyRingAggregate.upcasters, stored) as SshKeyAdded).data;
        return keyOwnerOf(Number(partition), key);
      } catch {
        return [];
      }
    });

export const keyOwnerOf = (accountId: number, { fingerprint, blob }: PublicKey): KeyOwner => ({
  accountId,
  prefixes: [prefixOf(fingerprint), prefixOf(md5FingerprintOf(blob))],
});

const PREFIX_BYTES = 6;

/** Returns the first 48 bits of a fingerprint of either form, `SHA256:…` or `MD5:…`. */
export function prefixOf(fingerprint: string): number {
  const [form, digest = ''] = fingerprint.split(/:(.*)/s);
  const bytes = form === 'MD5' ? Buffer.from(digest.replaceAll(':', ''), 'hex') : Buffer.from(digest, 'base64');
  return bytes.readUIntBE(0, PREFIX_BYTES);
}

/** Returns the fingerprint that `ssh-keygen -l -E md5` prints for a key, given its wire format in base64. */
export function md5FingerprintOf(blob: string): string {
  const digest = hash('md5', Buffer.from(blob, 'base64'), 'hex');
  return `MD5:${digest.match(/../g)!.join(':')}`;
}
