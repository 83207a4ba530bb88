import { Controller, Get, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiQuery, ApiTags } from '@nestjs/swagger';
import { FindSshKeyQuery } from '@keyfold/application';
import { ApiEnvelope } from '../openapi/api-envelope.decorator.js';
import { ApiRoute } from '../openapi/api-route.decorator.js';
import { UNACCEPTED_QUERY } from '../openapi/refusal-table.js';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { checkedQueryOf } from '../request/request-reading.js';
import { AdminGuard } from '../session/caller.guard.js';
import { GuardedBy } from '../session/guarded-by.decorator.js';
import { TakesAccessToken } from '../session/takes-access-token.decorator.js';
import { FindKeyRequest } from './ssh-key.requests.js';
import { sshKeyOwnersResponse, SshKeyOwnersResponse } from './ssh-key.responses.js';

@ApiTags('administration')
@Controller('api/admin/sshkey')
@GuardedBy(AdminGuard)
export class SshKeySearchController {
  constructor(private readonly queryBus: QueryBus) {}

  @Get('find')
  @TakesAccessToken('keys:look-up')
  @ApiRoute({
    id: 'findSshKeyOwners',
    summary: 'Find the owners of a key',
    description:
      'Returns the accounts that have the key with this fingerprint, at most 100 and the lowest id first. Disabled accounts and expired ' +
      'keys are found too. If `next` is not null, repeat the request with it as `after`. While the index of keys is far behind, for ' +
      'example after a restore, the answer is HTTP 503 with `Retry-After`.',
    refusals: [...UNACCEPTED_QUERY],
  })
  @ApiQuery({
    name: 'fingerprint',
    description: 'As `ssh-keygen -lf` prints it: `SHA256:…`, or `MD5:…` with `-E md5`.',
  })
  @ApiQuery({
    name: 'after',
    required: false,
    schema: { type: 'integer' },
    description: 'Only accounts above this id.',
  })
  @ApiEnvelope({ model: SshKeyOwnersResponse })
  async find(@Req() request: KeyfoldRequest): Promise<SshKeyOwnersResponse> {
    const { fingerprint, after } = checkedQueryOf(FindKeyRequest, request);
    const query = new FindSshKeyQuery(normalized(fingerprint), Number(after));
    return sshKeyOwnersResponse(await this.queryBus.execute(query));
  }
}

/** A plus sign that was not escaped arrives as a space. Some programs add padding, or write MD5 in capitals. */
const normalized = (fingerprint: string) =>
  fingerprint.startsWith('MD5:')
    ? `MD5:${fingerprint.slice(4).toLowerCase()}`
    : fingerprint.replaceAll(' ', '+').replace(/=$/, '');
