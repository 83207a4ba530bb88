import { Controller, Get, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiOperation, ApiProperty, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { LogInCommand, LogOutCommand } from '@keyfold/application';
import { DomainError } from '@keyfold/domain';
import { staticHash } from '@keyfold/security';
import { ApiEnvelope } from '../openapi/api-envelope.decorator.js';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { bodyOf, callerOf, originOf } from '../request/request-reading.js';
import { CallerGuard } from './caller.guard.js';
import { asksForDeviceToken, deviceCookie, shownDeviceToken } from './device-token.js';
import { LoginRequest } from './login.requests.js';

class TokenResponse {
  @ApiProperty({ description: 'a JWT; send it bare in `Authorization`' })
  token!: string;

  @ApiProperty({
    required: false,
    description:
      'for a request with the header `X-Device-Token`, be it empty: what to send in that header at the next login. It opens nothing; ' +
      'it keeps the wrong tries of strangers from shutting this device out',
  })
  device_token?: string;
}

/** User agents are kept with the session up to this length. */
const CLIENT_LENGTH = 256;

@ApiTags('login')
@Controller('api/auth')
export class LoginController {
  constructor(private readonly commandBus: CommandBus) {}

  @Post('login')
  @HttpCode(200)
  @ApiOperation({ summary: 'Log in with a password' })
  @ApiBody({ type: LoginRequest })
  @ApiEnvelope({ model: TokenResponse })
  logIn(@Req() request: KeyfoldRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<TokenResponse> {
    const body = bodyOf(LoginRequest, request);
    return this.#logIn(body, staticHash(body.password), request, reply);
  }

  @Post('login/hash')
  @HttpCode(200)
  @ApiOperation({ summary: 'Log in with the static hash of a password' })
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
  @ApiOperation({ summary: 'Log in over LDAP (switched off)' })
  @ApiBody({ type: LoginRequest })
  @ApiEnvelope()
  logInOverLdap(@Req() request: KeyfoldRequest): never {
    bodyOf(LoginRequest, request);
    throw new DomainError('ldap-disabled');
  }

  @Get('logout')
  @UseGuards(CallerGuard)
  @ApiSecurity('token')
  @ApiOperation({ summary: 'End the session of the token' })
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
      client: (request.headers['user-agent'] ?? '').slice(0, CLIENT_LENGTH),
      deviceToken: shownDeviceToken(request.headers),
      origin: originOf(request),
    });
    const { token, deviceToken } = await this.commandBus.execute(command);
    reply.header('Set-Cookie', deviceCookie(deviceToken));
    // compat: the original answers a token and nothing else; who sends the header knows the field.
    return asksForDeviceToken(request.headers) ? { token, device_token: deviceToken } : { token };
  }
}
