import { Controller, Get, HttpCode, Post, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { ChangeOwnProfile, GetOwnProfile, type Caller } from '@keyfold/application';
import { UserRequest } from '../accounts/account.requests.js';
import { meResponse, MeResponse } from '../accounts/account.responses.js';
import { ApiEnvelope } from '../openapi/api-envelope.decorator.js';
import { Correlation, JsonBody, SpeaksFor } from '../request/request.decorators.js';
import { CallerGuard } from '../session/caller.guard.js';

@ApiTags('profile')
@ApiSecurity('token')
@Controller('api/me')
@UseGuards(CallerGuard)
export class ProfileController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Read the own account' })
  @ApiEnvelope({ model: MeResponse })
  async read(@SpeaksFor() caller: Caller): Promise<MeResponse> {
    return meResponse(await this.queries.execute(new GetOwnProfile(caller)));
  }

  @Post('update')
  @HttpCode(200)
  @ApiOperation({ summary: 'Change the own name, password or SSO id; other fields are ignored' })
  @ApiBody({ type: UserRequest })
  @ApiEnvelope()
  async update(
    @SpeaksFor() caller: Caller,
    @JsonBody(UserRequest) { username, password, ssoId }: UserRequest,
    @Correlation() correlation: string,
  ): Promise<null> {
    await this.commands.execute(new ChangeOwnProfile(caller, { username, password, ssoId }, correlation));
    return null;
  }
}
