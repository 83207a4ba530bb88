import { Controller, Get, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import {
  DisableTwoFactorCommand,
  DeleteAccountCommand,
  FindAccountQuery,
  GetAccountQuery,
  ListAccountsQuery,
  RegisterAccountCommand,
  UpdateAccountCommand,
} from '@keyfold/application';
import { atoi, listResponse, parsePaging, type PreparedResponse, type QueryParameters } from '@keyfold/http-envelope';
import { ApiEnvelope } from '../openapi/api-envelope.decorator.js';
import { ApiPaging } from '../openapi/api-paging.decorator.js';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { bodyOf, callerOf, originOf, queryOf } from '../request/request-reading.js';
import { AdminGuard } from '../session/caller.guard.js';
import { accountInput, UserRequest } from './account.requests.js';
import { UserPageResponse, userResponse, UserResponse } from './account.responses.js';

@ApiTags('administration')
@ApiSecurity('token')
@Controller('api/admin/user')
@UseGuards(AdminGuard)
export class AccountAdministrationController {
  constructor(
    private readonly commandBus: CommandBus,
    private readonly queryBus: QueryBus,
  ) {}

  @Get('list')
  @ApiOperation({ summary: 'List accounts' })
  @ApiPaging()
  @ApiEnvelope({ model: UserPageResponse })
  async list(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    const { page, perPage } = parsePaging(queryOf(request));
    const offset = Math.min((page - 1) * perPage, Number.MAX_SAFE_INTEGER);
    const { items, total } = await this.queryBus.execute(new ListAccountsQuery(offset, perPage));
    return listResponse(items, total, userResponse);
  }

  @Get('get')
  @ApiOperation({ summary: 'Read an account' })
  @ApiQuery({ name: 'id' })
  @ApiEnvelope({ model: UserResponse })
  async get(@Req() request: KeyfoldRequest): Promise<UserResponse> {
    return userResponse(await this.queryBus.execute(new GetAccountQuery(idOf(queryOf(request)))));
  }

  @Post('create')
  @HttpCode(200)
  @ApiOperation({ summary: 'Create an account; the server assigns the id' })
  @ApiBody({ type: UserRequest })
  @ApiEnvelope()
  async create(@Req() request: KeyfoldRequest): Promise<null> {
    const body = bodyOf(UserRequest, request);
    await this.commandBus.execute(new RegisterAccountCommand(callerOf(request), accountInput(body), originOf(request)));
    return null;
  }

  @Post('update')
  @HttpCode(200)
  @ApiOperation({ summary: 'Replace an account; only fields that differ change' })
  @ApiBody({ type: UserRequest })
  @ApiEnvelope()
  async update(@Req() request: KeyfoldRequest): Promise<null> {
    const body = bodyOf(UserRequest, request);
    await this.commandBus.execute(
      new UpdateAccountCommand(callerOf(request), body.id, accountInput(body), originOf(request)),
    );
    return null;
  }

  @Post('delete')
  @HttpCode(200)
  @ApiOperation({ summary: 'Delete an account with its keys and sessions' })
  @ApiQuery({ name: 'id' })
  @ApiEnvelope()
  async delete(@Req() request: KeyfoldRequest): Promise<null> {
    await this.commandBus.execute(
      new DeleteAccountCommand(callerOf(request), idOf(queryOf(request)), originOf(request)),
    );
    return null;
  }

  @Post('cancel_2fa')
  @HttpCode(200)
  @ApiOperation({ summary: 'Turn off two-factor login for an account' })
  @ApiQuery({ name: 'id' })
  @ApiEnvelope()
  async cancelTwoFactor(@Req() request: KeyfoldRequest): Promise<null> {
    await this.commandBus.execute(
      new DisableTwoFactorCommand(callerOf(request), idOf(queryOf(request)), originOf(request)),
    );
    return null;
  }

  @Post('del_cache')
  @HttpCode(200)
  @ApiOperation({ summary: 'Check that an account exists (there is no cache to clear)' })
  @ApiQuery({ name: 'username' })
  @ApiEnvelope()
  async clearCache(@Req() request: KeyfoldRequest): Promise<null> {
    await this.queryBus.execute(new FindAccountQuery(queryOf(request).get('username') ?? ''));
    return null;
  }
}

const idOf = (query: QueryParameters) => atoi(query.get('id') ?? '');
