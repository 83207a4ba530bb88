import { isoTime, type ListedSshKey } from '@keyfold/application';
import { md5FingerprintOf } from '@keyfold/projections';
import { fieldsOf } from '../output/fields.js';

/** Returns the fields of an SSH key as JSON shows them. `lastUsed` is null for a key that was never used. */
export const keyFields = ({
  keyId,
  title,
  fingerprint,
  type,
  blob,
  bits,
  comment,
  addedAt,
  lastUsedAt,
  isUsed,
  expiresAt,
  expired,
}: ListedSshKey) => ({
  id: keyId,
  title,
  fingerprint,
  md5Fingerprint: md5FingerprintOf(blob),
  type,
  bits,
  comment,
  added: isoTime(addedAt),
  lastUsed: isUsed ? isoTime(lastUsedAt) : null,
  expires: expiresAt === undefined ? null : isoTime(expiresAt),
  expired,
});

/** Returns the lines that show an SSH key to people. */
export function keyLines(key: ListedSshKey): Generator<string> {
  const { id, title, type, bits, fingerprint, added, lastUsed, expires, expired } = keyFields(key);
  return fieldsOf(`${id}  ${title}`, {
    type: `${type}, ${bits} bits`,
    fingerprint,
    added,
    'last used': lastUsed ?? 'never',
    [expired ? 'expired' : 'expires']: expires ?? 'never',
  });
}
