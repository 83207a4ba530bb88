import { Controller, Get, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import {
  CancelTwoFactor,
  DeleteAccount,
  FindAccount,
  GetAccount,
  ListAccounts,
  RegisterAccount,
  UpdateAccount,
} from '@keyfold/application';
import { atoi, listAnswer, parsePaging, type PreparedAnswer, type QueryParameters } from '@keyfold/http-envelope';
import { ApiEnvelope } from '../openapi/api-envelope.decorator.js';
import { ApiPaging } from '../openapi/api-paging.decorator.js';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { bodyOf, callerOf, originOf, queryOf } from '../request/request-reading.js';
import { AdminGuard } from '../session/caller.guard.js';
import { writtenAccount, UserRequest } from './account.requests.js';
import { UserPageResponse, userResponse, UserResponse } from './account.responses.js';

@ApiTags('administration')
@ApiSecurity('token')
@Controller('api/admin/user')
@UseGuards(AdminGuard)
export class AccountAdministrationController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get('list')
  @ApiOperation({ summary: 'List accounts' })
  @ApiPaging()
  @ApiEnvelope({ model: UserPageResponse })
  async list(@Req() request: KeyfoldRequest): Promise<PreparedAnswer> {
    const { page, perPage } = parsePaging(queryOf(request));
    const offset = Math.min((page - 1) * perPage, Number.MAX_SAFE_INTEGER);
    const { items, total } = await this.queries.execute(new ListAccounts(offset, perPage));
    return listAnswer(items, total, userResponse);
  }

  @Get('get')
  @ApiOperation({ summary: 'Read an account' })
  @ApiQuery({ name: 'id' })
  @ApiEnvelope({ model: UserResponse })
  async get(@Req() request: KeyfoldRequest): Promise<UserResponse> {
    return userResponse(await this.queries.execute(new GetAccount(idOf(queryOf(request)))));
  }

  @Post('create')
  @HttpCode(200)
  @ApiOperation({ summary: 'Make an account; the server chooses the id' })
  @ApiBody({ type: UserRequest })
  @ApiEnvelope()
  async create(@Req() request: KeyfoldRequest): Promise<null> {
    const body = bodyOf(UserRequest, request);
    await this.commands.execute(new RegisterAccount(callerOf(request), writtenAccount(body), originOf(request)));
    return null;
  }

  @Post('update')
  @HttpCode(200)
  @ApiOperation({ summary: 'Replace an account; only what differs changes' })
  @ApiBody({ type: UserRequest })
  @ApiEnvelope()
  async update(@Req() request: KeyfoldRequest): Promise<null> {
    const body = bodyOf(UserRequest, request);
    await this.commands.execute(new UpdateAccount(callerOf(request), body.id, writtenAccount(body), originOf(request)));
    return null;
  }

  @Post('delete')
  @HttpCode(200)
  @ApiOperation({ summary: 'Delete an account with its keys and sessions' })
  @ApiQuery({ name: 'id' })
  @ApiEnvelope()
  async delete(@Req() request: KeyfoldRequest): Promise<null> {
    await this.commands.execute(new DeleteAccount(callerOf(request), idOf(queryOf(request)), originOf(request)));
    return null;
  }

  @Post('cancel_2fa')
  @HttpCode(200)
  @ApiOperation({ summary: 'Turn two-factor off for an account' })
  @ApiQuery({ name: 'id' })
  @ApiEnvelope()
  async cancelTwoFactor(@Req() request: KeyfoldRequest): Promise<null> {
    await this.commands.execute(new CancelTwoFactor(callerOf(request), idOf(queryOf(request)), originOf(request)));
    return null;
  }

  @Post('del_cache')
  @HttpCode(200)
  @ApiOperation({ summary: 'Look whether an account exists; nothing is cached that could be stale' })
  @ApiQuery({ name: 'username' })
  @ApiEnvelope()
  async forgetCached(@Req() request: KeyfoldRequest): Promise<null> {
    await this.queries.execute(new FindAccount(queryOf(request).get('username') ?? ''));
    return null;
  }
}

const idOf = (query: QueryParameters) => atoi(query.get('id') ?? '');
