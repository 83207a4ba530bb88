import { sshKeyRingAggregate, upcast, type SshKeyAdded } from '@keyfold/domain';
import type { Commit } from '@keyfold/event-store';
import { md5FingerprintOf } from './md5-fingerprint.js';

/** An entry of the index of SSH keys: an account that added a key, and both fingerprints of the key as `ssh-keygen` prints them. */
export type KeyOwner = Readonly<{ fingerprint: string; md5: string; accountId: number }>;

/** Returns an entry for each key that was added in the commits. */
export const keyOwnersIn = (commits: readonly Commit[]): KeyOwner[] =>
  commits.filter(({ stream }) => stream.startsWith(sshKeyRingAggregate.streamPrefix)).flatMap(ownersIn);

const ownersIn = ({ partition, events }: Commit): KeyOwner[] =>
  events
    .filter(({ type }) => type === 'SshKeyAdded')
    .map((stored) => {
      const { key } = (upcast(sshKeyRingAggregate.upcasters, stored) as SshKeyAdded).data;
      return { fingerprint: key.fingerprint, md5: md5FingerprintOf(key.blob), accountId: Number(partition) };
    });
