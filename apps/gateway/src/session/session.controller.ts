import { Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiExtraModels, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { EndOwnSessionCommand, EvictOwnSessionsCommand, ListOwnSessionsQuery } from '@keyfold/application';
import { arrayResponse, type PreparedResponse } from '@keyfold/http-envelope';
import { ApiEnvelope } from '../openapi/api-envelope.decorator.js';
import { ApiRoute } from '../openapi/api-route.decorator.js';
import { UNREADABLE_BODY } from '../openapi/refusal-table.js';
import { IdempotentCommands } from '../request/idempotent-commands.js';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { bodyOf, callerOf } from '../request/request-reading.js';
import { CallerGuard } from './caller.guard.js';
import { GuardedBy } from './guarded-by.decorator.js';
import { EvictOwnRequest } from './session.requests.js';
import { sessionResponse, SessionResponse } from './session.responses.js';

@ApiTags('sessions')
@Controller('api/me/sessions')
@GuardedBy(CallerGuard)
export class SessionController {
  constructor(
    private readonly commands: IdempotentCommands,
    private readonly queryBus: QueryBus,
  ) {}

  @Get()
  @ApiRoute({
    id: 'listSessions',
    summary: "List the caller's sessions",
    description: 'Returns the sessions that have not ended or expired, the latest login first.',
    refusals: ['guest-has-no-sessions'],
  })
  @ApiExtraModels(SessionResponse)
  @ApiEnvelope({ schema: { type: 'array', items: { $ref: getSchemaPath(SessionResponse) } } })
  async list(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    return arrayResponse(await this.queryBus.execute(new ListOwnSessionsQuery(callerOf(request))), sessionResponse);
  }

  @Post('evict')
  @HttpCode(200)
  @ApiRoute({
    id: 'evictSessions',
    summary: 'End one session or all others',
    description: "Ends one of the caller's sessions, or all but the current one. Their tokens are refused at once.",
    refusals: [...UNREADABLE_BODY, 'guest-has-no-sessions', 'session-not-found'],
    idempotent: true,
  })
  @ApiBody({ type: EvictOwnRequest })
  @ApiEnvelope()
  async evict(@Req() request: KeyfoldRequest): Promise<null> {
    const { sessionId, others } = bodyOf(EvictOwnRequest, request);
    const caller = callerOf(request);
    return this.commands.execute(request, (origin) =>
      others ? new EvictOwnSessionsCommand(caller, origin) : new EndOwnSessionCommand(caller, sessionId, origin),
    );
  }
}
