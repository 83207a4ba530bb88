import { Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { ListAnyAppPasswordsQuery, RevokeAnyAppPasswordCommand } from '@keyfold/application';
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
import { RevokeAppPasswordRequest } from './app-password.requests.js';
import { appPasswordHolderResponse, AppPasswordPageResponse } from './app-password.responses.js';

@ApiTags('app passwords')
@Controller('api/admin/app_password')
@GuardedBy(AdminGuard)
export class AppPasswordAdministrationController {
  constructor(
    private readonly commands: IdempotentCommands,
    private readonly queryBus: QueryBus,
  ) {}

  @Get('list')
  @ApiRoute({
    id: 'listAnyAppPasswords',
    summary: 'List the app passwords of all accounts',
    description:
      'Returns the accounts that have app passwords by id, each with all its app passwords. A page ends early when its entries take ' +
      '2 MiB; continue with the next page until page times `per_page` reaches `total`, which also counts accounts that were deleted ' +
      'since. For administrators.',
    refusals: UNACCEPTED_QUERY,
  })
  @ApiHolderPageQuery('app passwords')
  @ApiEnvelope({ model: AppPasswordPageResponse })
  async list(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    const page = holderPageOf(checkedQueryOf(HolderPageRequest, request));
    const { items, total } = await this.queryBus.execute(new ListAnyAppPasswordsQuery(...page));
    return listResponse(items, total, appPasswordHolderResponse);
  }

  @Post('revoke')
  @HttpCode(200)
  @ApiRoute({
    id: 'revokeAnyAppPassword',
    summary: 'Revoke any app password',
    description: 'Refuses the app password from then on, whatever account it belongs to. For administrators.',
    refusals: [...UNACCEPTED_BODY, 'app-password-not-found'],
    idempotent: true,
  })
  @ApiBody({ type: RevokeAppPasswordRequest })
  @ApiEnvelope()
  revoke(@Req() request: KeyfoldRequest): Promise<null> {
    const { id } = checkedBodyOf(RevokeAppPasswordRequest, request);
    const caller = callerOf(request);
    return this.commands.execute(request, (origin) => new RevokeAnyAppPasswordCommand(caller, id, origin));
  }
}
