import { Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { ListAnyAccessTokensQuery, RevokeAnyAccessTokenCommand } from '@keyfold/application';
import { listResponse, offsetOf, type PreparedResponse } from '@keyfold/http-envelope';
import { ApiEnvelope } from '../openapi/api-envelope.decorator.js';
import { ApiRoute } from '../openapi/api-route.decorator.js';
import { UNACCEPTED_BODY, UNACCEPTED_QUERY } from '../openapi/refusal-table.js';
import { IdempotentCommands } from '../request/idempotent-commands.js';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { callerOf, checkedBodyOf, checkedQueryOf } from '../request/request-reading.js';
import { AdminGuard } from '../session/caller.guard.js';
import { GuardedBy } from '../session/guarded-by.decorator.js';
import { ApiAccessTokenQuery, ListAccessTokensRequest, RevokeAccessTokenRequest } from './access-token.requests.js';
import { accessTokenHolderResponse, AccessTokenPageResponse } from './access-token.responses.js';

@ApiTags('access tokens')
@Controller('api/admin/token')
@GuardedBy(AdminGuard)
export class AccessTokenAdministrationController {
  constructor(
    private readonly commands: IdempotentCommands,
    private readonly queryBus: QueryBus,
  ) {}

  @Get('list')
  @ApiRoute({
    id: 'listAnyAccessTokens',
    summary: 'List the access tokens of all accounts',
    description:
      'Returns the accounts that have access tokens by id, each with all its tokens. A page ends early when its entries take ' +
      '2 MiB; continue with the next page until page times `per_page` reaches `total`, which also counts accounts that were deleted ' +
      'since. For administrators.',
    refusals: UNACCEPTED_QUERY,
  })
  @ApiAccessTokenQuery()
  @ApiEnvelope({ model: AccessTokenPageResponse })
  async list(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    const { page, per_page, user_id } = checkedQueryOf(ListAccessTokensRequest, request);
    const paging = { page: Number(page), perPage: Number(per_page) };
    const accountId = user_id === undefined ? undefined : Number(user_id);
    const query = new ListAnyAccessTokensQuery(offsetOf(paging), paging.perPage, accountId);
    const { items, total } = await this.queryBus.execute(query);
    return listResponse(items, total, accessTokenHolderResponse);
  }

  @Post('revoke')
  @HttpCode(200)
  @ApiRoute({
    id: 'revokeAnyAccessToken',
    summary: 'Revoke any access token',
    description: 'Refuses the token from then on, whatever account it belongs to. For administrators.',
    refusals: [...UNACCEPTED_BODY, 'access-token-not-found'],
    idempotent: true,
  })
  @ApiBody({ type: RevokeAccessTokenRequest })
  @ApiEnvelope()
  revoke(@Req() request: KeyfoldRequest): Promise<null> {
    const { id } = checkedBodyOf(RevokeAccessTokenRequest, request);
    const caller = callerOf(request);
    return this.commands.execute(request, (origin) => new RevokeAnyAccessTokenCommand(caller, id, origin));
  }
}
