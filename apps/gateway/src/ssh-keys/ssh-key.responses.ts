import { ApiProperty } from '@nestjs/swagger';
import type { ListedSshKey } from '@keyfold/application';
import { listAnswer, pageOf, type Paging, type PreparedAnswer } from '@keyfold/http-envelope';

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

const wholeLists = new WeakMap<readonly ListedSshKey[], Promise<PreparedAnswer>>();

/** The answer of a key list; front ends ask for the whole list, so that one is written once for as long as the list is kept. */
export function sshKeyPageAnswer(keys: readonly ListedSshKey[], paging: Paging): Promise<PreparedAnswer> {
  const isWhole = paging.page === 1 && paging.perPage >= keys.length;
  if (!isWhole) return listAnswer(pageOf(keys, paging), keys.length, sshKeyResponse);
  const known = wholeLists.get(keys);
  if (known) return known;
  const answer = listAnswer(keys, keys.length, sshKeyResponse);
  wholeLists.set(keys, answer);
  return answer;
}

const sshKeyResponse = ({ keyId, title, fingerprint, addedAt, lastUsedAt }: ListedSshKey): SshKeyResponse => ({
  id: keyId,
  title,
  fingerprint,
  added_time: timeText(addedAt),
  last_used_time: timeText(lastUsedAt),
});

/** Three digits of a second, always (wire contract 3.3). */
const timeText = (at: number) => new Date(at).toISOString();
