import { Controller, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiProperty, ApiTags } from '@nestjs/swagger';
import {
  DeleteAccountCommand,
  DisableTwoFactorCommand,
  FindAccountQuery,
  GetAccountQuery,
  ListAccountsQuery,
  RegisterAccountCommand,
  RevokeEverythingCommand,
  UpdateAccountCommand,
  type AccountInput,
} from '@keyfold/application';
import type { Account } from '@keyfold/domain';
import {
  atoi,
  GoStruct,
  offsetOf,
  parsePaging,
  type PreparedResponse,
  type QueryParameters,
} from '@keyfold/http-envelope';
import { listResponse } from '../http/list-response.js';
import { UNREADABLE_BODY } from '../openapi/refusal-table.js';
import { AdminGuard } from '../request/caller.guard.js';
import { ApiFlag, ApiText, ApiWhole } from '../request/documented-fields.js';
import { IdempotentCommands } from '../request/idempotent-commands.js';
import { RequestQueue } from '../request/request-queue.js';
import { bodyOf, callerOf, queryOf, type KeyfoldRequest } from '../request/request-reading.js';
import { PAGING, Route } from '../request/route.decorator.js';

/** An account in a request body. compat: every route that accepts an account checks the types of all fields, even of those that it ignores. */
@GoStruct('User')
export class UserRequest {
  @ApiWhole('ID', 'uint64') id = 0;
  @ApiText('Username', { required: true }) username = '';
  @ApiText('Password', { description: 'If empty, the password is unchanged.' }) password = '';
  @ApiText('BasePath') basePath = '';
  @ApiWhole('Role', 'int') role = 0;
  @ApiFlag('Disabled') disabled = false;
  @ApiWhole('Permission', 'int32') permission = 0;
  @ApiText('SsoID', { description: 'If missing, the SSO id is cleared.' }) ssoId = '';
  @ApiFlag('AllowLdap') allowLdap = false;
}

/** compat: additional to the fields of the original. */
@GoStruct('User')
export class UserUpdateRequest extends UserRequest {
  @ApiFlag('RevokeSecrets', {
    description: 'If true, all access tokens and app passwords of the account are revoked as well.',
  })
  revokeSecrets = false;
}

function accountInput<Request extends UserRequest>(request: Request): Omit<Request, 'id'> & AccountInput {
  const { id: _id, ...fields } = request;
  return fields;
}

/** An account as administrators see it. The order of the fields is part of the contract (wire contract 3.1). */
export class UserResponse {
  @ApiProperty({ type: 'integer' }) id!: number;
  @ApiProperty() username!: string;
  @ApiProperty({ description: 'Always empty.' }) password!: string;
  @ApiProperty() base_path!: string;
  @ApiProperty({ type: 'integer', description: '0: general, 1: guest, 2: admin.' }) role!: number;
  @ApiProperty() disabled!: boolean;
  @ApiProperty({ type: 'integer', description: 'A bit set, see docs/reference/wire-contract.md, section 3.2.' })
  permission!: number;
  @ApiProperty() sso_id!: string;
  @ApiProperty() allow_ldap!: boolean;
}

class UserPageResponse {
  @ApiProperty({ type: [UserResponse] }) content!: UserResponse[];
  @ApiProperty({ type: 'integer' }) total!: number;
}

export type Fields<Response> = { readonly [Field in keyof Response]: Response[Field] };

export const userResponse = (account: Account): Fields<UserResponse> => ({
  id: account.accountId,
  username: account.username,
  password: '',
  base_path: account.basePath,
  role: account.role,
  disabled: account.disabled,
  permission: account.permission,
  sso_id: account.ssoId,
  allow_ldap: account.allowLdap,
});

const ACCOUNT_ID = { name: 'id', schema: { type: 'integer' }, description: 'The id of the account.' } as const;

/** Letters of a search that count. */
const SEARCH_LETTERS = 256;

/** compat: additional to the paging of the original, which ignores them. */
const SELECTION = [
  {
    name: 'search',
    required: false,
    schema: { type: 'string' },
    description: `Only accounts whose name contains this text, in any letter case. ${SEARCH_LETTERS} letters count.`,
  },
  {
    name: 'sort',
    required: false,
    schema: { type: 'string', enum: ['id', '-id'], default: 'id' },
    description: '`-id` starts with the newest account.',
  },
] as const;

const FIELD_REFUSALS = [
  'username-too-long',
  'username-of-stand-in',
  'username-taken',
  'base-path-too-long',
  'sso-id-too-long',
  'password-too-short',
  'password-too-common',
] as const;

@ApiTags('administration')
@Controller()
export class AccountAdministrationController {
  readonly #searches = new RequestQueue('searches of accounts');

  constructor(
    private readonly commands: IdempotentCommands,
    private readonly queryBus: QueryBus,
  ) {}

  @Route('GET /api/admin/user/list', {
    id: 'listUsers',
    summary: 'List accounts',
    description:
      'Returns the accounts by id, and in `total` the number of all that `search` finds. A page ends early when its entries take 2 MiB; continue with the next page until ' +
      'you have `total` accounts.',
    guard: AdminGuard,
    scope: 'accounts:read',
    query: [...PAGING, ...SELECTION],
    answer: UserPageResponse,
    refusals: ['query-too-long', 'list-query-malformed', 'page-invalid'],
  })
  async list(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    const sent = queryOf(request);
    const paging = parsePaging(sent);
    const search = [...(sent.get('search') ?? '')].slice(0, SEARCH_LETTERS).join('');
    const query = new ListAccountsQuery(offsetOf(paging), paging.perPage, {
      search,
      descending: sent.get('sort') === '-id',
    });
    const page = () => this.queryBus.execute(query);
    const caller = String(callerOf(request).account.accountId);
    const { items, total } = await (search === '' ? page() : this.#searches.run(caller, page));
    return listResponse(items, total, userResponse);
  }

  @Route('GET /api/admin/user/get', {
    id: 'getUser',
    summary: 'Read an account',
    description: 'Returns the account with this id.',
    guard: AdminGuard,
    scope: 'accounts:read',
    query: [ACCOUNT_ID],
    answer: UserResponse,
    refusals: ['query-too-long', 'account-id-invalid', 'account-not-found'],
  })
  async get(@Req() request: KeyfoldRequest): Promise<UserResponse> {
    return userResponse(await this.queryBus.execute(new GetAccountQuery(idOf(queryOf(request)))));
  }

  @Route('POST /api/admin/user/create', {
    id: 'createUser',
    summary: 'Create an account',
    description:
      'Creates an account and assigns its id; `id` in the body is ignored. `allow_ldap` is always true. Call ' +
      '`listUsers` to learn the id.',
    guard: AdminGuard,
    scope: 'accounts:manage',
    body: UserRequest,
    answer: null,
    refusals: [...UNREADABLE_BODY, 'admin-or-guest-uncreatable', ...FIELD_REFUSALS],
    idempotent: true,
  })
  async create(@Req() request: KeyfoldRequest): Promise<null> {
    const account = accountInput(bodyOf(UserRequest, request));
    return this.commands.run(request, (caller, origin) => new RegisterAccountCommand(caller, account, origin));
  }

  @Route('POST /api/admin/user/update', {
    id: 'updateUser',
    summary: 'Replace an account',
    description:
      'Sets every field of the account with this `id`. A missing field becomes empty, false or 0, so send the whole ' +
      'account as `getUser` returned it. An empty or missing `password` keeps the current one.',
    guard: AdminGuard,
    scope: 'accounts:manage',
    body: UserUpdateRequest,
    answer: null,
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
  async update(@Req() request: KeyfoldRequest): Promise<null> {
    const body = bodyOf(UserUpdateRequest, request);
    const account = accountInput(body);
    return this.commands.run(request, (caller, origin) => new UpdateAccountCommand(caller, body.id, account, origin));
  }

  @Route('POST /api/admin/user/delete', {
    id: 'deleteUser',
    summary: 'Delete an account',
    description: 'Deletes the account with its keys and sessions, and frees its name.',
    guard: AdminGuard,
    scope: 'accounts:manage',
    query: [ACCOUNT_ID],
    answer: null,
    refusals: [
      'query-too-long',
      'account-id-invalid',
      'admin-unchangeable-by-token',
      'account-not-found',
      'admin-or-guest-undeletable',
    ],
    idempotent: true,
  })
  async delete(@Req() request: KeyfoldRequest): Promise<null> {
    const id = idOf(queryOf(request));
    return this.commands.run(request, (caller, origin) => new DeleteAccountCommand(caller, id, origin));
  }

  @Route('POST /api/admin/user/cancel_2fa', {
    id: 'disableUserTwoFactor',
    summary: 'Turn off two-factor login for an account',
    description: 'Lets the account log in with its password alone. Succeeds even if two-factor login is off.',
    guard: AdminGuard,
    scope: 'accounts:manage',
    query: [ACCOUNT_ID],
    answer: null,
    refusals: ['query-too-long', 'account-id-invalid', 'admin-unchangeable-by-token', 'account-not-found'],
    idempotent: true,
  })
  async cancelTwoFactor(@Req() request: KeyfoldRequest): Promise<null> {
    const id = idOf(queryOf(request));
    return this.commands.run(request, (caller, origin) => new DisableTwoFactorCommand(caller, id, origin));
  }

  @Route('POST /api/admin/user/revoke-everything', {
    id: 'revokeEverythingOfUser',
    summary: 'Revoke everything of an account',
    description:
      'Ends every session, then revokes every access token and app password of the account. The password, the second factor and the SSH ' +
      'keys stay. If the request fails, repeat it. For administrators.',
    guard: AdminGuard,
    scope: 'accounts:manage',
    query: [ACCOUNT_ID],
    answer: null,
    refusals: ['query-too-long', 'account-id-invalid', 'admin-unchangeable-by-token', 'account-not-found'],
    idempotent: true,
  })
  async revokeEverything(@Req() request: KeyfoldRequest): Promise<null> {
    const id = idOf(queryOf(request));
    return this.commands.run(request, (caller, origin) => new RevokeEverythingCommand(caller, id, origin));
  }

  @Route('POST /api/admin/user/del_cache', {
    id: 'clearUserCache',
    summary: 'Check that an account exists',
    description:
      'Succeeds if an account has this name. Clears nothing, because Keyfold has no cache that could be stale.',
    guard: AdminGuard,
    scope: 'accounts:read',
    query: [{ name: 'username', schema: { type: 'string' }, description: 'The name of the account.' }],
    answer: null,
    refusals: ['query-too-long', 'username-empty', 'find-user-failed'],
  })
  async clearCache(@Req() request: KeyfoldRequest): Promise<null> {
    await this.queryBus.execute(new FindAccountQuery(queryOf(request).get('username') ?? ''));
    return null;
  }
}

const idOf = (query: QueryParameters) => atoi(query.get('id') ?? '');
