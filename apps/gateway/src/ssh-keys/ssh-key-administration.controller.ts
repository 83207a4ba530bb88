import { Controller, Get, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { ListSshKeysOf, RemoveAnySshKey } from '@keyfold/application';
import { parsePaging, type PreparedAnswer } from '@keyfold/http-envelope';
import { ApiEnvelope } from '../openapi/api-envelope.decorator.js';
import { ApiPaging } from '../openapi/api-paging.decorator.js';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { callerOf, originOf, queryOf } from '../request/request-reading.js';
import { AdminGuard } from '../session/caller.guard.js';
import { keyIdOf, wholeNumberOf } from './key-id.js';
import { sshKeyPageAnswer, SshKeyPageResponse } from './ssh-key.responses.js';

@ApiTags('administration')
@ApiSecurity('token')
@Controller('api/admin/user/sshkey')
@UseGuards(AdminGuard)
export class SshKeyAdministrationController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get('list')
  @ApiOperation({ summary: 'List the keys of an account' })
  @ApiQuery({ name: 'uid' })
  @ApiPaging()
  @ApiEnvelope({ model: SshKeyPageResponse })
  async list(@Req() request: KeyfoldRequest): Promise<PreparedAnswer> {
    const accountId = wholeNumberOf(queryOf(request), 'uid', 'user id format invalid');
    const keys = await this.queries.execute(new ListSshKeysOf(accountId));
    return sshKeyPageAnswer(keys, parsePaging(queryOf(request)));
  }

  @Post('delete')
  @HttpCode(200)
  @ApiOperation({ summary: 'Delete any key, also one that is not there' })
  @ApiQuery({ name: 'id' })
  @ApiEnvelope()
  async delete(@Req() request: KeyfoldRequest): Promise<null> {
    await this.commands.execute(new RemoveAnySshKey(callerOf(request), keyIdOf(queryOf(request)), originOf(request)));
    return null;
  }
}
