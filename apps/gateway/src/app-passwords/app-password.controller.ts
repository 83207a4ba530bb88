import { Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiExtraModels, ApiTags, getSchemaPath } from '@nestjs/swagger';
import {
  CreateOwnAppPasswordCommand,
  ListOwnAppPasswordsQuery,
  RevokeOwnAppPasswordCommand,
} from '@keyfold/application';
import { arrayResponse, instantOf, type PreparedResponse } from '@keyfold/http-envelope';
import { ApiEnvelope } from '../openapi/api-envelope.decorator.js';
import { ApiRoute } from '../openapi/api-route.decorator.js';
import { UNACCEPTED_BODY } from '../openapi/refusal-table.js';
import { IdempotentCommands } from '../request/idempotent-commands.js';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { callerOf, checkedBodyOf } from '../request/request-reading.js';
import { CallerGuard } from '../session/caller.guard.js';
import { GuardedBy } from '../session/guarded-by.decorator.js';
import { CreateAppPasswordRequest, RevokeAppPasswordRequest } from './app-password.requests.js';
import {
  appPasswordResponse,
  AppPasswordResponse,
  newAppPasswordResponse,
  NewAppPasswordResponse,
} from './app-password.responses.js';

const NO_HOLDER = ['guest-has-no-app-passwords', 'app-password-session-required'] as const;

@ApiTags('app passwords')
@Controller('api/me/app_passwords')
@GuardedBy(CallerGuard)
export class AppPasswordController {
  constructor(
    private readonly commands: IdempotentCommands,
    private readonly queryBus: QueryBus,
  ) {}

  @Get()
  @ApiRoute({
    id: 'listAppPasswords',
    summary: "List the caller's app passwords",
    description:
      'Returns the app passwords, oldest first. An expired one is shown until it is revoked, a new one has its name, or a ' +
      'new one needs its place among the 100 of the account. Needs a session.',
    refusals: NO_HOLDER,
  })
  @ApiExtraModels(AppPasswordResponse)
  @ApiEnvelope({ schema: { type: 'array', items: { $ref: getSchemaPath(AppPasswordResponse) } } })
  async list(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    const passwords = await this.queryBus.execute(new ListOwnAppPasswordsQuery(callerOf(request)));
    return arrayResponse(passwords, appPasswordResponse);
  }

  @Post()
  @HttpCode(200)
  @ApiRoute({
    id: 'createAppPassword',
    summary: 'Create an app password',
    description:
      'Creates a password for a client of a file server, such as WebDAV on a phone, and returns it, once. It opens no login of ' +
      'this API, and it needs no second factor. It continues to work after a rename and a password change. Needs a session.',
    refusals: [
      ...UNACCEPTED_BODY,
      ...NO_HOLDER,
      'app-password-name-too-long',
      'app-password-expiry-invalid',
      'app-password-name-taken',
      'app-password-limit-reached',
    ],
    idempotent: 'shown once',
  })
  @ApiBody({ type: CreateAppPasswordRequest })
  @ApiEnvelope({ model: NewAppPasswordResponse })
  async create(@Req() request: KeyfoldRequest): Promise<NewAppPasswordResponse> {
    const { name, protocol, expires } = checkedBodyOf(CreateAppPasswordRequest, request);
    const expiresAt = expires === null ? null : (instantOf(expires) ?? 0);
    const caller = callerOf(request);
    const created = await this.commands.executeShownOnce(
      request,
      (origin) => new CreateOwnAppPasswordCommand(caller, { name, protocol: protocol!, expiresAt }, origin),
    );
    return newAppPasswordResponse(created);
  }

  @Post('revoke')
  @HttpCode(200)
  @ApiRoute({
    id: 'revokeAppPassword',
    summary: "Revoke one of the caller's app passwords",
    description:
      'Refuses the app password from then on. One of another account is refused like an unknown one. Needs a session.',
    refusals: [...UNACCEPTED_BODY, ...NO_HOLDER, 'app-password-not-found'],
    idempotent: true,
  })
  @ApiBody({ type: RevokeAppPasswordRequest })
  @ApiEnvelope()
  revoke(@Req() request: KeyfoldRequest): Promise<null> {
    const { id } = checkedBodyOf(RevokeAppPasswordRequest, request);
    const caller = callerOf(request);
    return this.commands.execute(request, (origin) => new RevokeOwnAppPasswordCommand(caller, id, origin));
  }
}
