import { Controller, Get, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { ListAnySshKeysQuery, RemoveAnySshKeyCommand } from '@keyfold/application';
import { parsePaging, type PreparedResponse } from '@keyfold/http-envelope';
import { ApiEnvelope } from '../openapi/api-envelope.decorator.js';
import { ApiPaging } from '../openapi/api-paging.decorator.js';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { callerOf, originOf, queryOf } from '../request/request-reading.js';
import { AdminGuard } from '../session/caller.guard.js';
import { keyIdOf, integerOf } from './key-id.js';
import { sshKeyPageResponse, SshKeyPageResponse } from './ssh-key.responses.js';

@ApiTags('administration')
@ApiSecurity('token')
@Controller('api/admin/user/sshkey')
@UseGuards(AdminGuard)
export class SshKeyAdministrationController {
  constructor(
    private readonly commandBus: CommandBus,
    private readonly queryBus: QueryBus,
  ) {}

  @Get('list')
  @ApiOperation({ summary: 'List the keys of an account' })
  @ApiQuery({ name: 'uid' })
  @ApiPaging()
  @ApiEnvelope({ model: SshKeyPageResponse })
  async list(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    const accountId = integerOf(queryOf(request), 'uid', 'user id format invalid');
    const keys = await this.queryBus.execute(new ListAnySshKeysQuery(accountId));
    return sshKeyPageResponse(keys, parsePaging(queryOf(request)));
  }

  @Post('delete')
  @HttpCode(200)
  @ApiOperation({ summary: 'Delete any key; succeeds even if the key does not exist' })
  @ApiQuery({ name: 'id' })
  @ApiEnvelope()
  async delete(@Req() request: KeyfoldRequest): Promise<null> {
    await this.commandBus.execute(
      new RemoveAnySshKeyCommand(callerOf(request), keyIdOf(queryOf(request)), originOf(request)),
    );
    return null;
  }
}
