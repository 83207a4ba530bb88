import { Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { ChangeOwnProfileCommand } from '@keyfold/application';
import type { PreparedResponse } from '@keyfold/http-envelope';
import { UserRequest } from '../accounts/account.requests.js';
import { meResponse, MeResponse } from '../accounts/account.responses.js';
import { ApiEnvelope } from '../openapi/api-envelope.decorator.js';
import { ApiRoute } from '../openapi/api-route.decorator.js';
import { UNREADABLE_BODY } from '../openapi/refusal-table.js';
import { IdempotentCommands } from '../request/idempotent-commands.js';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { bodyOf, callerOf } from '../request/request-reading.js';
import { CallerGuard } from '../session/caller.guard.js';
import { GuardedBy } from '../session/guarded-by.decorator.js';
import { TakesAccessToken } from '../session/takes-access-token.decorator.js';

@ApiTags('profile')
@Controller('api/me')
@GuardedBy(CallerGuard)
export class ProfileController {
  constructor(private readonly commands: IdempotentCommands) {}

  @Get()
  @TakesAccessToken('profile:read')
  @ApiRoute({
    id: 'getProfile',
    summary: "Read the caller's account",
    description: 'Returns the account of the token, or the guest if the request has no token and the guest is enabled.',
    refusals: [],
  })
  @ApiEnvelope({ model: MeResponse })
  read(@Req() request: KeyfoldRequest): PreparedResponse {
    return meResponse(callerOf(request).account);
  }

  @Post('update')
  @HttpCode(200)
  @ApiRoute({
    id: 'updateProfile',
    summary: "Change the caller's name, password or SSO id",
    description:
      'Sets the user name and the SSO id, which is cleared if missing. An empty or missing `password` keeps the ' +
      'current one. A new name or password ends all sessions of the account. The other fields must have the right ' +
      'type and are ignored.',
    refusals: [
      ...UNREADABLE_BODY,
      'guest-has-no-profile',
      'username-too-long',
      'username-taken',
      'username-reserved',
      'sso-id-too-long',
      'password-too-short',
      'password-too-common',
    ],
    idempotent: true,
  })
  @ApiBody({ type: UserRequest })
  @ApiEnvelope()
  async update(@Req() request: KeyfoldRequest): Promise<null> {
    const { username, password, ssoId } = bodyOf(UserRequest, request);
    const [caller, profile] = [callerOf(request), { username, password, ssoId }];
    return this.commands.execute(request, (origin) => new ChangeOwnProfileCommand(caller, profile, origin));
  }
}
