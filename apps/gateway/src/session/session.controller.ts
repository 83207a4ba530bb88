import { Controller, Get, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiExtraModels, ApiOperation, ApiSecurity, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { EndOwnSessionCommand, EvictOwnSessionsCommand, ListOwnSessionsQuery } from '@keyfold/application';
import { arrayResponse, type PreparedResponse } from '@keyfold/http-envelope';
import { ApiEnvelope } from '../openapi/api-envelope.decorator.js';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { bodyOf, callerOf, originOf } from '../request/request-reading.js';
import { CallerGuard } from './caller.guard.js';
import { EvictOwnRequest } from './session.requests.js';
import { sessionResponse, SessionResponse } from './session.responses.js';

@ApiTags('sessions')
@ApiSecurity('token')
@Controller('api/me/sessions')
@UseGuards(CallerGuard)
export class SessionController {
  constructor(
    private readonly commandBus: CommandBus,
    private readonly queryBus: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List the sessions of the caller, the latest login first' })
  @ApiExtraModels(SessionResponse)
  @ApiEnvelope({ schema: { type: 'array', items: { $ref: getSchemaPath(SessionResponse) } } })
  async list(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    return arrayResponse(await this.queryBus.execute(new ListOwnSessionsQuery(callerOf(request))), sessionResponse);
  }

  @Post('evict')
  @HttpCode(200)
  @ApiOperation({ summary: 'End one session of the caller, or all others' })
  @ApiBody({ type: EvictOwnRequest })
  @ApiEnvelope()
  async evict(@Req() request: KeyfoldRequest): Promise<null> {
    const { sessionId, others } = bodyOf(EvictOwnRequest, request);
    const [caller, origin] = [callerOf(request), originOf(request)];
    await this.commandBus.execute(
      others ? new EvictOwnSessionsCommand(caller, origin) : new EndOwnSessionCommand(caller, sessionId, origin),
    );
    return null;
  }
}
