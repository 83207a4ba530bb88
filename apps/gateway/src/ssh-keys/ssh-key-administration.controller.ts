import { Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiQuery, ApiTags } from '@nestjs/swagger';
import { ListAnySshKeysQuery, RemoveAnySshKeyCommand } from '@keyfold/application';
import { parsePaging, type PreparedResponse } from '@keyfold/http-envelope';
import { ApiEnvelope } from '../openapi/api-envelope.decorator.js';
import { ApiPaging } from '../openapi/api-paging.decorator.js';
import { ApiRoute } from '../openapi/api-route.decorator.js';
import { IdempotentCommands } from '../request/idempotent-commands.js';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { callerOf, queryOf } from '../request/request-reading.js';
import { AdminGuard } from '../session/caller.guard.js';
import { GuardedBy } from '../session/guarded-by.decorator.js';
import { TakesAccessToken } from '../session/takes-access-token.decorator.js';
import { keyIdOf, integerOf } from './key-id.js';
import { sshKeyPageResponse, SshKeyPageResponse } from './ssh-key.responses.js';

@ApiTags('administration')
@Controller('api/admin/user/sshkey')
@GuardedBy(AdminGuard)
export class SshKeyAdministrationController {
  constructor(
    private readonly commands: IdempotentCommands,
    private readonly queryBus: QueryBus,
  ) {}

  @Get('list')
  @TakesAccessToken('accounts:read')
  @ApiRoute({
    id: 'listUserSshKeys',
    summary: 'List the keys of an account',
    description: 'Returns the keys of any account, oldest first. `total` counts all keys, also those of other pages.',
    refusals: ['query-too-long', 'key-owner-id-invalid', 'user-invalid', 'list-query-malformed', 'page-invalid'],
  })
  @ApiQuery({ name: 'uid', schema: { type: 'integer' }, description: 'The id of the account.' })
  @ApiPaging()
  @ApiEnvelope({ model: SshKeyPageResponse })
  async list(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    const accountId = integerOf(queryOf(request), 'uid', 'key-owner-id-invalid');
    const keys = await this.queryBus.execute(new ListAnySshKeysQuery(accountId));
    return sshKeyPageResponse(keys, parsePaging(queryOf(request)));
  }

  @Post('delete')
  @HttpCode(200)
  @TakesAccessToken('accounts:manage')
  @ApiRoute({
    id: 'deleteUserSshKey',
    summary: 'Delete any key',
    description:
      'Deletes the key with this id, whatever account it belongs to. Succeeds even if the key does not exist.',
    refusals: ['query-too-long', 'key-id-invalid', 'admin-unchangeable-by-token'],
    idempotent: true,
  })
  @ApiQuery({ name: 'id', schema: { type: 'integer' }, description: 'The id of the key.' })
  @ApiEnvelope()
  async delete(@Req() request: KeyfoldRequest): Promise<null> {
    const [caller, keyId] = [callerOf(request), keyIdOf(queryOf(request))];
    return this.commands.execute(request, (origin) => new RemoveAnySshKeyCommand(caller, keyId, origin));
  }
}
