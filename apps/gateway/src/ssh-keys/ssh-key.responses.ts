import { ApiProperty } from '@nestjs/swagger';
import type { ListedSshKey } from '@keyfold/application';
import { pageOf, writtenOnce, type Paging, type PreparedAnswer } from '@keyfold/http-envelope';

/** The order of the fields is part of the contract (wire contract 3.3). */
class SshKeyResponse {
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

/** The answer of a key list; front ends ask for the whole list, so that one is written once for as long as the list is kept. */
export function sshKeyPageResponse(keys: readonly ListedSshKey[], paging: Paging): SshKeyPageResponse | PreparedAnswer {
  const whole = paging.page === 1 && paging.perPage >= keys.length;
  return whole ? wholeList(keys) : { content: pageOf(keys, paging).map(sshKeyResponse), total: keys.length };
}

const wholeList = writtenOnce((keys: readonly ListedSshKey[]): SshKeyPageResponse => ({
  content: keys.map(sshKeyResponse),
  total: keys.length,
}));

const sshKeyResponse = ({ keyId, title, fingerprint, addedAt, lastUsedAt }: ListedSshKey): SshKeyResponse => ({
  id: keyId,
  title,
  fingerprint,
  added_time: timeText(addedAt),
  last_used_time: timeText(lastUsedAt),
});

/** Three digits of a second, always (wire contract 3.3). */
const timeText = (at: number) => new Date(at).toISOString();
