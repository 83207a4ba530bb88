import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiProperty, ApiTags } from '@nestjs/swagger';
import { LogInCommand, LogOutCommand } from '@keyfold/application';
import { DomainError } from '@keyfold/domain';
import { staticHash } from '@keyfold/security';
import { ApiEnvelope } from '../openapi/api-envelope.decorator.js';
import { ApiRoute } from '../openapi/api-route.decorator.js';
import { UNREADABLE_BODY } from '../openapi/refusal-table.js';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { bodyOf, callerOf, originOf } from '../request/request-reading.js';
import { CallerGuard } from './caller.guard.js';
import { GuardedBy } from './guarded-by.decorator.js';
import { wantsDeviceToken, deviceCookie, deviceTokenOf } from './device-token.js';
import { LoginRequest } from './login.requests.js';

class TokenResponse {
  @ApiProperty({ description: 'A JWT. Send it in the `Authorization` header, without a scheme.' })
  token!: string;

  @ApiProperty({
    required: false,
    description:
      'Returned only if the request has the header `X-Device-Token`, even an empty one. Send it in that header at the next login, so that ' +
      'failed attempts of others cannot lock this device out. It grants no access.',
  })
  device_token?: string;
}

const LOGIN_REFUSALS = [
  ...UNREADABLE_BODY,
  'too-many-attempts',
  'invalid-credentials',
  'one-time-code-required',
  'one-time-code-invalid-at-login',
  'one-time-code-locked',
] as const;

const ApiDeviceToken = () =>
  ApiHeader({
    name: 'X-Device-Token',
    required: false,
    description: 'The `device_token` of the last login, or empty to get the first one.',
  });

/** Longer user agents are truncated. */
const MAX_CLIENT_LENGTH = 256;

@ApiTags('login')
@Controller('api/auth')
export class LoginController {
  constructor(private readonly commandBus: CommandBus) {}

  @Post('login')
  @HttpCode(200)
  @ApiRoute({
    id: 'login',
    summary: 'Log in with a password',
    description:
      'Returns a token, which is valid for 48 hours unless the operator changed `KEYFOLD_TOKEN_HOURS`. If ' +
      'two-factor login is on, send the current code in `otp_code`; each code works once.',
    refusals: LOGIN_REFUSALS,
  })
  @ApiDeviceToken()
  @ApiBody({ type: LoginRequest })
  @ApiEnvelope({ model: TokenResponse })
  logIn(@Req() request: KeyfoldRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<TokenResponse> {
    const body = bodyOf(LoginRequest, request);
    return this.#logIn(body, staticHash(body.password), request, reply);
  }

  @Post('login/hash')
  @HttpCode(200)
  @ApiRoute({
    id: 'loginWithHash',
    summary: 'Log in with the static hash of a password',
    description:
      'Does the same as `login`, for clients that do not send the password itself. The hash is the lower-case hex ' +
      'SHA-256 of `<password>-https://github.com/alist-org/alist`.',
    refusals: LOGIN_REFUSALS,
  })
  @ApiDeviceToken()
  @ApiBody({ type: LoginRequest })
  @ApiEnvelope({ model: TokenResponse })
  logInWithHash(
    @Req() request: KeyfoldRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TokenResponse> {
    const body = bodyOf(LoginRequest, request);
    return this.#logIn(body, body.password === '' ? undefined : body.password, request, reply);
  }

  @Post('login/ldap')
  @HttpCode(200)
  @ApiRoute({
    id: 'loginWithLdap',
    summary: 'Log in over LDAP (disabled)',
    description: 'Always refused, because Keyfold does not support LDAP. Front ends of OpenList may call it.',
    refusals: [...UNREADABLE_BODY, 'ldap-disabled'],
  })
  @ApiBody({ type: LoginRequest })
  @ApiEnvelope()
  logInOverLdap(@Req() request: KeyfoldRequest): never {
    bodyOf(LoginRequest, request);
    throw new DomainError('ldap-disabled');
  }

  @Get('logout')
  @GuardedBy(CallerGuard)
  @ApiRoute({
    id: 'logout',
    summary: "End the token's session",
    description:
      'Refuses the token from then on. Other sessions of the account continue. Does nothing for the static token ' +
      'and for the guest, who have no session.',
    refusals: [],
  })
  @ApiEnvelope()
  async logOut(@Req() request: KeyfoldRequest): Promise<null> {
    await this.commandBus.execute(new LogOutCommand(callerOf(request), originOf(request)));
    return null;
  }

  async #logIn(
    body: LoginRequest,
    hash: string | undefined,
    request: KeyfoldRequest,
    reply: FastifyReply,
  ): Promise<TokenResponse> {
    const command = new LogInCommand({
      username: body.username,
      staticHash: hash,
      code: body.otpCode,
      address: request.clientAddress,
      client: (request.headers['user-agent'] ?? '').slice(0, MAX_CLIENT_LENGTH),
      deviceToken: deviceTokenOf(request.headers),
      origin: originOf(request),
    });
    const { token, deviceToken } = await this.commandBus.execute(command);
    reply.header('Set-Cookie', deviceCookie(deviceToken));
    // compat: the original returns only a token. Clients that send the header know the additional field.
    return wantsDeviceToken(request.headers) ? { token, device_token: deviceToken } : { token };
  }
}
