import { ApiProperty } from '@nestjs/swagger';
import type { ListedSshKey } from '@keyfold/application';
import { pageOf, PreparedJson, type Paging } from '@keyfold/http-envelope';

/** The order of the fields is part of the contract (wire contract 3.3). */
export class SshKeyResponse {
  @ApiProperty({ type: 'integer' }) id!: number;
  @ApiProperty() title!: string;
  @ApiProperty({ description: 'as `ssh-keygen -lf` prints it' }) fingerprint!: string;
  @ApiProperty({ format: 'date-time' }) added_time!: string;
  @ApiProperty({ format: 'date-time', description: 'the time of the addition until the first use' })
  last_used_time!: string;
}

export class SshKeyPageResponse {
  @ApiProperty({ type: [SshKeyResponse] }) content!: SshKeyResponse[];
  @ApiProperty({ type: 'integer' }) total!: number;
}

/** Whole lists, written once for as long as the list is kept. */
const wholeLists = new WeakMap<readonly ListedSshKey[], PreparedJson>();

/** The answer of a key list; front ends ask for the whole list, so that one is kept as JSON. */
export function sshKeyPageResponse(keys: readonly ListedSshKey[], paging: Paging): SshKeyPageResponse | PreparedJson {
  const whole = paging.page === 1 && paging.perPage >= keys.length;
  if (!whole) return pageResponse(keys, paging);
  const known = wholeLists.get(keys);
  if (known) return known;
  const written = new PreparedJson(pageResponse(keys, paging));
  wholeLists.set(keys, written);
  return written;
}

const pageResponse = (keys: readonly ListedSshKey[], paging: Paging): SshKeyPageResponse => ({
  content: pageOf(keys, paging).map(sshKeyResponse),
  total: keys.length,
});

const sshKeyResponse = ({ keyId, title, fingerprint, addedAt, lastUsedAt }: ListedSshKey): SshKeyResponse => ({
  id: keyId,
  title,
  fingerprint,
  added_time: timeText(addedAt),
  last_used_time: timeText(lastUsedAt),
});

/** compat: RFC 3339 without the zeros behind the last digit of the fraction (wire contract 3.3). */
const timeText = (at: number) => new Date(at).toISOString().replace(/\.?0+Z$/, 'Z');
