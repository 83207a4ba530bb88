import { Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { EndAnySessionCommand, EvictAnySessionsCommand, ListAnySessionsQuery } from '@keyfold/application';
import { listResponse, offsetOf, parsePaging, type PreparedResponse } from '@keyfold/http-envelope';
import { ApiEnvelope } from '../openapi/api-envelope.decorator.js';
import { ApiPaging } from '../openapi/api-paging.decorator.js';
import { ApiRoute } from '../openapi/api-route.decorator.js';
import { UNREADABLE_BODY } from '../openapi/refusal-table.js';
import { IdempotentCommands } from '../request/idempotent-commands.js';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { bodyOf, callerOf, queryOf } from '../request/request-reading.js';
import { AdminGuard } from './caller.guard.js';
import { GuardedBy } from './guarded-by.decorator.js';
import { TakesAccessToken } from './takes-access-token.decorator.js';
import { EvictAnyRequest } from './session.requests.js';
import { anySessionResponse, SessionPageResponse } from './session.responses.js';

@ApiTags('sessions')
@Controller('api/admin/session')
@GuardedBy(AdminGuard)
export class SessionAdministrationController {
  constructor(
    private readonly commands: IdempotentCommands,
    private readonly queryBus: QueryBus,
  ) {}

  @Get('list')
  @TakesAccessToken('accounts:read')
  @ApiRoute({
    id: 'listAnySessions',
    summary: 'List the sessions of all accounts',
    description: 'Returns the sessions that have not ended or expired, the latest login first. For administrators.',
    refusals: ['query-too-long', 'list-query-malformed', 'page-invalid'],
  })
  @ApiPaging()
  @ApiEnvelope({ model: SessionPageResponse })
  async list(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    const paging = parsePaging(queryOf(request));
    const query = new ListAnySessionsQuery(callerOf(request), offsetOf(paging), paging.perPage);
    const { items, total } = await this.queryBus.execute(query);
    return listResponse(items, total, anySessionResponse);
  }

  @Post('evict')
  @HttpCode(200)
  @TakesAccessToken('accounts:manage')
  @ApiRoute({
    id: 'evictAnySessions',
    summary: 'End sessions of an account',
    description:
      'Ends one session, or all sessions of an account. Their tokens are refused at once. For administrators.',
    refusals: [...UNREADABLE_BODY, 'session-not-found', 'admin-unchangeable-by-token', 'account-not-found'],
    idempotent: true,
  })
  @ApiBody({ type: EvictAnyRequest })
  @ApiEnvelope()
  async evict(@Req() request: KeyfoldRequest): Promise<null> {
    const { sessionId, userId } = bodyOf(EvictAnyRequest, request);
    const caller = callerOf(request);
    return this.commands.execute(request, (origin) =>
      userId === 0
        ? new EndAnySessionCommand(caller, sessionId, origin)
        : new EvictAnySessionsCommand(caller, userId, origin),
    );
  }
}
