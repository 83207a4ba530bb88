import { ApiProperty } from '@nestjs/swagger';
import { isoTime, type ListedSshKey, type SshKeyOwners } from '@keyfold/application';
import { listResponse, pageOf, type Paging, type PreparedResponse } from '@keyfold/http-envelope';
import { md5FingerprintOf } from '@keyfold/projections';

/** An SSH key. The order of the first five fields is part of the contract (wire contract 3.3); clients of OpenList ignore the others. */
class SshKeyResponse {
  @ApiProperty({ type: 'integer' }) id!: number;
  @ApiProperty() title!: string;
  @ApiProperty({ description: 'The fingerprint in the format of `ssh-keygen -lf`.' }) fingerprint!: string;
  @ApiProperty({ format: 'date-time' }) added_time!: string;
  @ApiProperty({ format: 'date-time', description: 'Until the first use, the time when the key was added.' })
  last_used_time!: string;
  @ApiProperty({ description: 'For example `ssh-ed25519`.' }) type!: string;
  @ApiProperty({ type: 'integer' }) bits!: number;
  @ApiProperty({ description: 'The comment in the text of the key.' }) comment!: string;
  @ApiProperty({ description: 'The fingerprint in the format of `ssh-keygen -l -E md5`.' }) fingerprint_md5!: string;
  @ApiProperty({ type: 'string', format: 'date-time', nullable: true, description: 'Null if the key never expires.' })
  expires_time!: string | null;
  @ApiProperty({ description: 'Whether the key has expired. Servers no longer get it.' }) expired!: boolean;
}

/** A page of a key list. */
export class SshKeyPageResponse {
  @ApiProperty({ type: [SshKeyResponse] }) content!: SshKeyResponse[];
  @ApiProperty({ type: 'integer' }) total!: number;
}

const fullLists = new WeakMap<readonly ListedSshKey[], Promise<PreparedResponse>>();

/** Returns a page of a key list as a response. Front ends request the full list, so its response is cached for as long as the list is. */
export function sshKeyPageResponse(keys: readonly ListedSshKey[], paging: Paging): Promise<PreparedResponse> {
  const isFull = paging.page === 1 && paging.perPage >= keys.length;
  if (!isFull) return listResponse(pageOf(keys, paging), keys.length, sshKeyResponse);
  const known = fullLists.get(keys);
  if (known) return known;
  const response = listResponse(keys, keys.length, sshKeyResponse);
  fullLists.set(keys, response);
  return response;
}

const sshKeyResponse = ({ keyId, title, fingerprint, addedAt, lastUsedAt, ...key }: ListedSshKey): SshKeyResponse => ({
  id: keyId,
  title,
  fingerprint,
  added_time: isoTime(addedAt),
  last_used_time: isoTime(lastUsedAt),
  type: key.type,
  bits: key.bits,
  comment: key.comment,
  fingerprint_md5: md5FingerprintOf(key.blob),
  expires_time: expiryText(key.expiresAt),
  expired: key.expired,
});

/** An account that has a key. */
class SshKeyOwnerResponse {
  @ApiProperty({ type: 'integer', description: 'The id of the account.' }) user_id!: number;
  @ApiProperty() username!: string;
  @ApiProperty({ description: 'Whether the account is disabled.' }) disabled!: boolean;
  @ApiProperty({ type: 'integer', description: 'The id of the key.' }) key_id!: number;
  @ApiProperty({ description: 'The title of the key in this account.' }) title!: string;
  @ApiProperty({ type: 'string', format: 'date-time', nullable: true, description: 'Null if the key never expires.' })
  expires_time!: string | null;
  @ApiProperty({ description: 'Whether the key has expired in this account.' }) expired!: boolean;
}

/** The accounts that have a key. */
export class SshKeyOwnersResponse {
  @ApiProperty({ type: [SshKeyOwnerResponse] }) content!: SshKeyOwnerResponse[];
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'If further accounts may follow, the value of `after` that continues the search. Null if there are none.',
  })
  next!: number | null;
}

/** Returns the owners of a key as data of an answer. */
export const sshKeyOwnersResponse = ({ owners, next }: SshKeyOwners): SshKeyOwnersResponse => ({
  content: owners.map(({ accountId, username, disabled, keyId, title, expiresAt, expired }) => ({
    user_id: accountId,
    username,
    disabled,
    key_id: keyId,
    title,
    expires_time: expiryText(expiresAt),
    expired,
  })),
  next: next ?? null,
});

const expiryText = (expiresAt: number | undefined) => (expiresAt === undefined ? null : isoTime(expiresAt));
