import { Controller, Get, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { ChangeOwnProfileCommand, GetOwnProfileQuery } from '@keyfold/application';
import type { PreparedResponse } from '@keyfold/http-envelope';
import { UserRequest } from '../accounts/account.requests.js';
import { meResponse, MeResponse } from '../accounts/account.responses.js';
import { ApiEnvelope } from '../openapi/api-envelope.decorator.js';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { bodyOf, callerOf, originOf } from '../request/request-reading.js';
import { CallerGuard } from '../session/caller.guard.js';

@ApiTags('profile')
@ApiSecurity('token')
@Controller('api/me')
@UseGuards(CallerGuard)
export class ProfileController {
  constructor(
    private readonly commandBus: CommandBus,
    private readonly queryBus: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: "Read the caller's account" })
  @ApiEnvelope({ model: MeResponse })
  async read(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    return meResponse(await this.queryBus.execute(new GetOwnProfileQuery(callerOf(request))));
  }

  @Post('update')
  @HttpCode(200)
  @ApiOperation({ summary: "Change the caller's name, password or SSO id; other fields are ignored" })
  @ApiBody({ type: UserRequest })
  @ApiEnvelope()
  async update(@Req() request: KeyfoldRequest): Promise<null> {
    const { username, password, ssoId } = bodyOf(UserRequest, request);
    await this.commandBus.execute(
      new ChangeOwnProfileCommand(callerOf(request), { username, password, ssoId }, originOf(request)),
    );
    return null;
  }
}
