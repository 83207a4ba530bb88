import { Controller, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiProperty, ApiTags } from '@nestjs/swagger';
import { LogInCommand, LogOutCommand, type LoginClientInfo } from '@keyfold/application';
import { DomainError } from '@keyfold/domain';
import { GoStruct } from '@keyfold/http-envelope';
import { staticHash } from '@keyfold/security';
import type { FastifyReply } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { UNREADABLE_BODY } from '../openapi/refusal-table.js';
import { CallerGuard } from '../request/caller.guard.js';
import { ApiText } from '../request/documented-fields.js';
import { bodyOf, callerOf, originOf, type KeyfoldRequest } from '../request/request-reading.js';
import { Route } from '../request/route.decorator.js';

@GoStruct('LoginReq')
class LoginRequest {
  @ApiText('Username', { required: true, description: 'Case-sensitive; not trimmed.' }) username = '';
  @ApiText('Password', { description: 'The password, or its static hash on the route `login/hash`.' }) password = '';
  @ApiText('OtpCode', { description: 'Six digits, or a recovery code; required if two-factor login is on.' })
  otpCode = '';
}

/** Programs send the device token of their last login in the header; browsers send the cookie. */
const DEVICE_HEADER = 'x-device-token';
const DEVICE_COOKIE = 'keyfold_device';
const IN_COOKIES = new RegExp(`(?:^|; ?)${DEVICE_COOKIE}=([\\w.-]+)`);
/** Longer values are not device tokens. */
const MAX_DEVICE_TOKEN_LENGTH = 1_024;
const NINETY_DAYS = 90 * 86_400;

/** Returns the device token of a request, unverified. */
function deviceTokenOf(headers: IncomingHttpHeaders): string | undefined {
  const token = headers[DEVICE_HEADER] || IN_COOKIES.exec(headers.cookie ?? '')?.[1];
  return typeof token === 'string' && token.length <= MAX_DEVICE_TOKEN_LENGTH ? token : undefined;
}

/** Returns the cookie that a browser sends at its next login. Scripts cannot read it, other sites cannot send it, and it grants no access. */
const deviceCookie = (token: string): string =>
  `${DEVICE_COOKIE}=${token}; Path=/api/auth/login; Max-Age=${NINETY_DAYS}; HttpOnly; SameSite=Strict`;

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
  'login-not-permitted',
  'one-time-code-required',
  'one-time-code-invalid-at-login',
  'one-time-code-locked',
] as const;

const DEVICE_TOKEN_HEADER = {
  name: 'X-Device-Token',
  required: false,
  description: 'The `device_token` of the last login, or empty to get the first one.',
} as const;

/** Longer user agents are truncated. */
export const MAX_CLIENT_LENGTH = 256;

export const loginClientOf = (request: KeyfoldRequest): LoginClientInfo => ({
  address: request.clientAddress,
  client: (request.headers['user-agent'] ?? '').slice(0, MAX_CLIENT_LENGTH),
  origin: originOf(request),
});

@ApiTags('login')
@Controller()
export class LoginController {
  constructor(private readonly commandBus: CommandBus) {}

  @Route('POST /api/auth/login', {
    id: 'login',
    summary: 'Log in with a password',
    description:
      'Returns a token, which is valid for 48 hours unless the operator changed `KEYFOLD_TOKEN_HOURS`. If ' +
      'two-factor login is on, send the current code in `otp_code`; each code works once.',
    headers: [DEVICE_TOKEN_HEADER],
    body: LoginRequest,
    answer: TokenResponse,
    refusals: LOGIN_REFUSALS,
  })
  logIn(@Req() request: KeyfoldRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<TokenResponse> {
    const body = bodyOf(LoginRequest, request);
    return this.#logIn(body, staticHash(body.password), request, reply);
  }

  @Route('POST /api/auth/login/hash', {
    id: 'loginWithHash',
    summary: 'Log in with the static hash of a password',
    description:
      'Does the same as `login`, for clients that do not send the password itself. The hash is the lower-case hex ' +
      'SHA-256 of `<password>-https://github.com/alist-org/alist`.',
    headers: [DEVICE_TOKEN_HEADER],
    body: LoginRequest,
    answer: TokenResponse,
    refusals: LOGIN_REFUSALS,
  })
  logInWithHash(
    @Req() request: KeyfoldRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TokenResponse> {
    const body = bodyOf(LoginRequest, request);
    return this.#logIn(body, body.password === '' ? undefined : body.password, request, reply);
  }

  @Route('POST /api/auth/login/ldap', {
    id: 'loginWithLdap',
    summary: 'Log in over LDAP (disabled)',
    description: 'Always refused, because Keyfold does not support LDAP. Front ends of OpenList may call it.',
    body: LoginRequest,
    answer: null,
    refusals: [...UNREADABLE_BODY, 'ldap-disabled'],
  })
  logInOverLdap(@Req() request: KeyfoldRequest): never {
    bodyOf(LoginRequest, request);
    throw new DomainError('ldap-disabled');
  }

  @Route('GET /api/auth/logout', {
    id: 'logout',
    summary: "End the token's session",
    description:
      'Refuses the token from then on. Other sessions of the account continue. Does nothing for the static token ' +
      'and for the guest, who have no session.',
    guard: CallerGuard,
    answer: null,
    refusals: [],
  })
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
      deviceToken: deviceTokenOf(request.headers),
      ...loginClientOf(request),
    });
    const { token, deviceToken } = await this.commandBus.execute(command);
    reply.header('Set-Cookie', deviceCookie(deviceToken));
    // compat: the original returns only a token. Clients that send the header know the additional field.
    return request.headers[DEVICE_HEADER] === undefined ? { token } : { token, device_token: deviceToken };
  }
}
