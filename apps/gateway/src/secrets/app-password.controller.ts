import { Controller, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiProperty, ApiTags } from '@nestjs/swagger';
import {
  appPasswordKind,
  CreateOwnSecretCommand,
  ListAnySecretsQuery,
  ListOwnSecretsQuery,
  RevokeAnySecretCommand,
  RevokeOwnSecretCommand,
  type AccountSecrets,
  type ListedSecret,
} from '@keyfold/application';
import { appPasswordProtocols, type AppPassword, type AppPasswordProtocol } from '@keyfold/domain';
import { IsInstant, type PreparedResponse } from '@keyfold/http-envelope';
import { IsIn, IsOptional, Length } from 'class-validator';
import { arrayResponse, listResponse } from '../http/list-response.js';
import { UNACCEPTED_BODY, UNACCEPTED_QUERY } from '../openapi/refusal-table.js';
import { AdminGuard, CallerGuard } from '../request/caller.guard.js';
import { IdempotentCommands } from '../request/idempotent-commands.js';
import { callerOf, checkedBodyOf, checkedQueryOf, type KeyfoldRequest } from '../request/request-reading.js';
import { Route } from '../request/route.decorator.js';
import {
  expiryOf,
  ownerPageOf,
  ownerPageQuery,
  OwnerPageRequest,
  IsSecretId,
  secretResponse,
} from './secret.requests.js';

class CreateAppPasswordRequest {
  @ApiProperty({
    type: 'string',
    minLength: 1,
    maxLength: 100,
    description: 'Must be unique among the app passwords of the account that have not expired.',
  })
  @Length(1, 100)
  name: string = '';

  @ApiProperty({
    type: 'string',
    enum: [...appPasswordProtocols],
    description: 'The protocol over which it opens a login; `any` stands for all of them.',
  })
  @IsIn(appPasswordProtocols)
  protocol: AppPasswordProtocol | undefined = undefined;

  @ApiProperty({
    oneOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }],
    required: false,
    description: 'When the app password expires, at most ten years from now. If missing or null, it never expires.',
  })
  @IsOptional()
  @IsInstant()
  expires: string | null = null;
}

class RevokeAppPasswordRequest {
  @ApiProperty({ type: 'integer', description: 'The id of the app password.' })
  @IsSecretId('an app password')
  id: number = 0;
}

const nullableTime = { oneOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] };

class AppPasswordResponse {
  @ApiProperty({ type: 'integer' }) id!: number;
  @ApiProperty() name!: string;
  @ApiProperty({ description: '`sftp`, `webdav`, `ftp`, or `any` of them. More values may be added.' })
  protocol!: string;
  @ApiProperty({ format: 'date-time' }) created!: string;
  @ApiProperty({ ...nullableTime, description: 'Null if it never expires.' }) expires!: string | null;
  @ApiProperty({ ...nullableTime, description: 'To within some minutes; null if it was never used.' })
  last_used!: string | null;
  @ApiProperty({ description: 'Whether it has expired. It is refused, and shown until you revoke it.' })
  expired!: boolean;
}

class NewAppPasswordResponse extends AppPasswordResponse {
  @ApiProperty({ description: 'Type it where the client asks for the password. Shown only once.' })
  password!: string;
}

class AppPasswordHolderResponse {
  @ApiProperty({ type: 'integer' }) user_id!: number;
  @ApiProperty() username!: string;
  @ApiProperty({ type: [AppPasswordResponse] }) app_passwords!: AppPasswordResponse[];
}

class AppPasswordPageResponse {
  @ApiProperty({ type: [AppPasswordHolderResponse] }) content!: AppPasswordHolderResponse[];
  @ApiProperty({ type: 'integer' }) total!: number;
}

type Protocol = Pick<AppPassword, 'protocol'>;

const appPasswordResponse = (password: ListedSecret<Protocol>): AppPasswordResponse =>
  secretResponse(password, { protocol: password.protocol });

const appPasswordHolderResponse = (owner: AccountSecrets<Protocol>): AppPasswordHolderResponse => ({
  user_id: owner.accountId,
  username: owner.username,
  app_passwords: owner.secrets.map(appPasswordResponse),
});

const NO_OWNER = ['guest-has-no-app-passwords', 'app-password-session-required'] as const;

@ApiTags('app passwords')
@Controller()
export class AppPasswordController {
  constructor(
    private readonly commands: IdempotentCommands,
    private readonly queryBus: QueryBus,
  ) {}

  @Route('GET /api/me/app_passwords', {
    id: 'listAppPasswords',
    summary: "List the caller's app passwords",
    description:
      'Returns the app passwords, oldest first. An expired one is shown until it is revoked, a new one has its name, or a ' +
      'new one would exceed the limit of 100. Needs a session.',
    guard: CallerGuard,
    answer: [AppPasswordResponse],
    refusals: NO_OWNER,
  })
  async list(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    const passwords = await this.queryBus.execute(new ListOwnSecretsQuery(appPasswordKind, callerOf(request)));
    return arrayResponse(passwords, appPasswordResponse);
  }

  @Route('POST /api/me/app_passwords', {
    id: 'createAppPassword',
    summary: 'Create an app password',
    description:
      'Creates a password for a client of a file server, such as WebDAV on a phone, and returns it, once. It opens no login of ' +
      'this API, and it needs no second factor. It continues to work after a rename and a password change. Needs a session.',
    guard: CallerGuard,
    body: CreateAppPasswordRequest,
    answer: NewAppPasswordResponse,
    refusals: [
      ...UNACCEPTED_BODY,
      ...NO_OWNER,
      'app-password-name-too-long',
      'app-password-expiry-invalid',
      'app-password-name-taken',
      'app-password-limit-reached',
    ],
    idempotent: 'shown once',
  })
  async create(@Req() request: KeyfoldRequest): Promise<NewAppPasswordResponse> {
    const { name, protocol, expires } = checkedBodyOf(CreateAppPasswordRequest, request);
    const input = { name, protocol: protocol!, expiresAt: expiryOf(expires) };
    const caller = callerOf(request);
    const created = await this.commands.executeShownOnce(
      request,
      (origin) => new CreateOwnSecretCommand(appPasswordKind, caller, input, origin),
    );
    return { ...appPasswordResponse(created), password: created.text };
  }

  @Route('POST /api/me/app_passwords/revoke', {
    id: 'revokeAppPassword',
    summary: "Revoke one of the caller's app passwords",
    description:
      'Refuses the app password from then on. One of another account is refused like an unknown one. Needs a session.',
    guard: CallerGuard,
    body: RevokeAppPasswordRequest,
    answer: null,
    refusals: [...UNACCEPTED_BODY, ...NO_OWNER, 'app-password-not-found'],
    idempotent: true,
  })
  revoke(@Req() request: KeyfoldRequest): Promise<null> {
    const { id } = checkedBodyOf(RevokeAppPasswordRequest, request);
    const caller = callerOf(request);
    return this.commands.execute(request, (origin) => new RevokeOwnSecretCommand(appPasswordKind, caller, id, origin));
  }

  @Route('GET /api/admin/app_password/list', {
    id: 'listAnyAppPasswords',
    summary: 'List the app passwords of all accounts',
    description:
      'Returns the accounts that have app passwords by id, each with all its app passwords. A page ends early when its entries take ' +
      '2 MiB; continue with the next page until page times `per_page` reaches `total`, which also counts accounts that were deleted ' +
      'since. For administrators.',
    guard: AdminGuard,
    query: ownerPageQuery('app passwords'),
    answer: AppPasswordPageResponse,
    refusals: UNACCEPTED_QUERY,
  })
  async listAny(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    const page = ownerPageOf(checkedQueryOf(OwnerPageRequest, request));
    const { items, total } = await this.queryBus.execute(new ListAnySecretsQuery(appPasswordKind, ...page));
    return listResponse(items, total, appPasswordHolderResponse);
  }

  @Route('POST /api/admin/app_password/revoke', {
    id: 'revokeAnyAppPassword',
    summary: 'Revoke any app password',
    description: 'Refuses the app password from then on, whatever account it belongs to. For administrators.',
    guard: AdminGuard,
    body: RevokeAppPasswordRequest,
    answer: null,
    refusals: [...UNACCEPTED_BODY, 'app-password-not-found'],
    idempotent: true,
  })
  revokeAny(@Req() request: KeyfoldRequest): Promise<null> {
    const { id } = checkedBodyOf(RevokeAppPasswordRequest, request);
    const caller = callerOf(request);
    return this.commands.execute(request, (origin) => new RevokeAnySecretCommand(appPasswordKind, caller, id, origin));
  }
}
