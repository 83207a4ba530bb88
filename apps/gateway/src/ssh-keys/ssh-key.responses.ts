import { ApiProperty } from '@nestjs/swagger';
import type { ListedSshKey } from '@keyfold/application';
import { listResponse, pageOf, type Paging, type PreparedResponse } from '@keyfold/http-envelope';

/** An SSH key. The order of the fields is part of the contract (wire contract 3.3). */
class SshKeyResponse {
  @ApiProperty({ type: 'integer' }) id!: number;
  @ApiProperty() title!: string;
  @ApiProperty({ description: 'The fingerprint in the format of `ssh-keygen -lf`.' }) fingerprint!: string;
  @ApiProperty({ format: 'date-time' }) added_time!: string;
  @ApiProperty({ format: 'date-time', description: 'Until the first use, the time when the key was added.' })
  last_used_time!: string;
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

const sshKeyResponse = ({ keyId, title, fingerprint, addedAt, lastUsedAt }: ListedSshKey): SshKeyResponse => ({
  id: keyId,
  title,
  fingerprint,
  added_time: timeText(addedAt),
  last_used_time: timeText(lastUsedAt),
});

/** Formats a time, always with milliseconds (wire contract 3.3). */
const timeText = (at: number) => new Date(at).toISOString();
