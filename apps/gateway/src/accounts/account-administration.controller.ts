import { Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiQuery, ApiTags } from '@nestjs/swagger';
import {
  DisableTwoFactorCommand,
  DeleteAccountCommand,
  FindAccountQuery,
  GetAccountQuery,
  ListAccountsQuery,
  RegisterAccountCommand,
  UpdateAccountCommand,
} from '@keyfold/application';
import {
  atoi,
  listResponse,
  offsetOf,
  parsePaging,
  type PreparedResponse,
  type QueryParameters,
} from '@keyfold/http-envelope';
import { ApiEnvelope } from '../openapi/api-envelope.decorator.js';
import { ApiPaging } from '../openapi/api-paging.decorator.js';
import { ApiRoute } from '../openapi/api-route.decorator.js';
import { UNREADABLE_BODY } from '../openapi/refusal-table.js';
import { IdempotentCommands } from '../request/idempotent-commands.js';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { bodyOf, callerOf, queryOf } from '../request/request-reading.js';
import { AdminGuard } from '../session/caller.guard.js';
import { GuardedBy } from '../session/guarded-by.decorator.js';
import { TakesAccessToken } from '../session/takes-access-token.decorator.js';
import { accountInput, UserRequest } from './account.requests.js';
import { UserPageResponse, userResponse, UserResponse } from './account.responses.js';

/** The refusals of the fields of an account. */
const FIELD_REFUSALS = [
  'username-too-long',
  'username-taken',
  'base-path-too-long',
  'sso-id-too-long',
  'password-too-short',
  'password-too-common',
] as const;

@ApiTags('administration')
@Controller('api/admin/user')
@GuardedBy(AdminGuard)
export class AccountAdministrationController {
  constructor(
    private readonly commands: IdempotentCommands,
    private readonly queryBus: QueryBus,
  ) {}

  @Get('list')
  @TakesAccessToken('accounts:read')
  @ApiRoute({
    id: 'listUsers',
    summary: 'List accounts',
    description:
      'Returns the accounts by id. A page ends early when its entries take 2 MiB; continue with the next page until ' +
      'you have `total` accounts.',
    refusals: ['query-too-long', 'list-query-malformed', 'page-invalid'],
  })
  @ApiPaging()
  @ApiEnvelope({ model: UserPageResponse })
  async list(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    const paging = parsePaging(queryOf(request));
    const query = new ListAccountsQuery(offsetOf(paging), paging.perPage);
    const { items, total } = await this.queryBus.execute(query);
    return listResponse(items, total, userResponse);
  }

  @Get('get')
  @TakesAccessToken('accounts:read')
  @ApiRoute({
    id: 'getUser',
    summary: 'Read an account',
    description: 'Returns the account with this id.',
    refusals: ['query-too-long', 'account-id-invalid', 'account-not-found'],
  })
  @ApiQuery({ name: 'id', schema: { type: 'integer' }, description: 'The id of the account.' })
  @ApiEnvelope({ model: UserResponse })
  async get(@Req() request: KeyfoldRequest): Promise<UserResponse> {
    return userResponse(await this.queryBus.execute(new GetAccountQuery(idOf(queryOf(request)))));
  }

  @Post('create')
  @HttpCode(200)
  @TakesAccessToken('accounts:manage')
  @ApiRoute({
    id: 'createUser',
    summary: 'Create an account',
    description:
      'Creates an account and assigns its id; `id` in the body is ignored. `allow_ldap` is always true. Call ' +
      '`listUsers` to learn the id.',
    refusals: [...UNREADABLE_BODY, 'admin-or-guest-uncreatable', ...FIELD_REFUSALS],
    idempotent: true,
  })
  @ApiBody({ type: UserRequest })
  @ApiEnvelope()
  async create(@Req() request: KeyfoldRequest): Promise<null> {
    const [caller, account] = [callerOf(request), accountInput(bodyOf(UserRequest, request))];
    return this.commands.execute(request, (origin) => new RegisterAccountCommand(caller, account, origin));
  }

  @Post('update')
  @HttpCode(200)
  @TakesAccessToken('accounts:manage')
  @ApiRoute({
    id: 'updateUser',
    summary: 'Replace an account',
    description:
      'Sets every field of the account with this `id`. A missing field becomes empty, false or 0, so send the whole ' +
      'account as `getUser` returned it. An empty or missing `password` keeps the current one.',
    refusals: [
      ...UNREADABLE_BODY,
      'admin-unchangeable-by-token',
      'account-not-found',
      'role-unchangeable',
      'admin-undisableable',
      ...FIELD_REFUSALS,
    ],
    idempotent: true,
  })
  @ApiBody({ type: UserRequest })
  @ApiEnvelope()
  async update(@Req() request: KeyfoldRequest): Promise<null> {
    const [caller, body] = [callerOf(request), bodyOf(UserRequest, request)];
    const account = accountInput(body);
    return this.commands.execute(request, (origin) => new UpdateAccountCommand(caller, body.id, account, origin));
  }

  @Post('delete')
  @HttpCode(200)
  @TakesAccessToken('accounts:manage')
  @ApiRoute({
    id: 'deleteUser',
    summary: 'Delete an account',
    description: 'Deletes the account with its keys and sessions, and frees its name.',
    refusals: [
      'query-too-long',
      'account-id-invalid',
      'admin-unchangeable-by-token',
      'account-not-found',
      'admin-or-guest-undeletable',
    ],
    idempotent: true,
  })
  @ApiQuery({ name: 'id', schema: { type: 'integer' }, description: 'The id of the account.' })
  @ApiEnvelope()
  async delete(@Req() request: KeyfoldRequest): Promise<null> {
    const [caller, id] = [callerOf(request), idOf(queryOf(request))];
    return this.commands.execute(request, (origin) => new DeleteAccountCommand(caller, id, origin));
  }

  @Post('cancel_2fa')
  @HttpCode(200)
  @TakesAccessToken('accounts:manage')
  @ApiRoute({
    id: 'disableUserTwoFactor',
    summary: 'Turn off two-factor login for an account',
    description: 'Lets the account log in with its password alone. Succeeds even if two-factor login is off.',
    refusals: ['query-too-long', 'account-id-invalid', 'admin-unchangeable-by-token', 'account-not-found'],
    idempotent: true,
  })
  @ApiQuery({ name: 'id', schema: { type: 'integer' }, description: 'The id of the account.' })
  @ApiEnvelope()
  async cancelTwoFactor(@Req() request: KeyfoldRequest): Promise<null> {
    const [caller, id] = [callerOf(request), idOf(queryOf(request))];
    return this.commands.execute(request, (origin) => new DisableTwoFactorCommand(caller, id, origin));
  }

  @Post('del_cache')
  @HttpCode(200)
  @TakesAccessToken('accounts:read')
  @ApiRoute({
    id: 'clearUserCache',
    summary: 'Check that an account exists',
    description:
      'Succeeds if an account has this name. Clears nothing, because Keyfold has no cache that could be stale.',
    refusals: ['query-too-long', 'username-empty', 'find-user-failed'],
  })
  @ApiQuery({ name: 'username', schema: { type: 'string' }, description: 'The name of the account.' })
  @ApiEnvelope()
  async clearCache(@Req() request: KeyfoldRequest): Promise<null> {
    await this.queryBus.execute(new FindAccountQuery(queryOf(request).get('username') ?? ''));
    return null;
  }
}

const idOf = (query: QueryParameters) => atoi(query.get('id') ?? '');
