import { Controller, Get, HttpCode, Post, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { ListSshKeysOf, RemoveAnySshKey, type Caller } from '@keyfold/application';
import { parsePaging, type QueryParameters } from '@keyfold/http-envelope';
import { ApiEnvelope } from '../openapi/api-envelope.decorator.js';
import { ApiPaging } from '../openapi/api-paging.decorator.js';
import { Correlation, QueryText, SpeaksFor } from '../request/request.decorators.js';
import { AdminGuard } from '../session/caller.guard.js';
import { keyIdOf, wholeNumberOf } from './key-id.js';
import { SshKeyPageResponse, sshKeyPageResponse } from './ssh-key.responses.js';

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
  async list(@QueryText() query: QueryParameters): Promise<SshKeyPageResponse> {
    const accountId = wholeNumberOf(query, 'uid', 'user id format invalid');
    const keys = await this.queries.execute(new ListSshKeysOf(accountId));
    return sshKeyPageResponse(keys, parsePaging(query));
  }

  @Post('delete')
  @HttpCode(200)
  @ApiOperation({ summary: 'Delete any key, also one that is not there' })
  @ApiQuery({ name: 'id' })
  @ApiEnvelope()
  async delete(
    @SpeaksFor() caller: Caller,
    @QueryText() query: QueryParameters,
    @Correlation() correlation: string,
  ): Promise<null> {
    await this.commands.execute(new RemoveAnySshKey(caller, keyIdOf(query), correlation));
    return null;
  }
}
