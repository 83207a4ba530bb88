import { Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { ListAnyAccessTokensQuery, RevokeAnyAccessTokenCommand } from '@keyfold/application';
import { listResponse, type PreparedResponse } from '@keyfold/http-envelope';
import { ApiEnvelope } from '../openapi/api-envelope.decorator.js';
import { ApiRoute } from '../openapi/api-route.decorator.js';
import { UNACCEPTED_BODY, UNACCEPTED_QUERY } from '../openapi/refusal-table.js';
import { ApiHolderPageQuery, holderPageOf, HolderPageRequest } from '../request/holder-page.requests.js';
import { IdempotentCommands } from '../request/idempotent-commands.js';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { callerOf, checkedBodyOf, checkedQueryOf } from '../request/request-reading.js';
import { AdminGuard } from '../session/caller.guard.js';
import { GuardedBy } from '../session/guarded-by.decorator.js';
import { RevokeAccessTokenRequest } from './access-token.requests.js';
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
  @ApiHolderPageQuery('tokens')
  @ApiEnvelope({ model: AccessTokenPageResponse })
  async list(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    const page = holderPageOf(checkedQueryOf(HolderPageRequest, request));
    const { items, total } = await this.queryBus.execute(new ListAnyAccessTokensQuery(...page));
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
