import { Controller, Get, HttpCode, Post, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOperation, ApiProperty, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { AddOwnSshKey, ListOwnSshKeys, RemoveOwnSshKey, type Caller } from '@keyfold/application';
import { GoStruct, parsePaging, TextField, type QueryParameters } from '@keyfold/http-envelope';
import { ApiEnvelope } from '../openapi/api-envelope.decorator.js';
import { ApiPaging } from '../openapi/api-paging.decorator.js';
import { Correlation, JsonBodyOr, QueryText, SpeaksFor } from '../request/request.decorators.js';
import { CallerGuard, KeyHolderGuard, ShowsKeys } from '../session/caller.guard.js';
import { keyIdOf } from './key-id.js';
import { SshKeyPageResponse, sshKeyPageResponse } from './ssh-key.responses.js';

@GoStruct('SSHKeyAddReq')
class AddKeyRequest {
  @ApiProperty({ description: 'unique among the keys of the account' })
  @TextField('Title', { required: true })
  title: string = '';

  @ApiProperty({ description: 'one line of an `authorized_keys` file, without options' })
  @TextField('Key', { required: true })
  key: string = '';
}

@ApiTags('SSH keys')
@ApiSecurity('token')
@Controller('api/me/sshkey')
@UseGuards(CallerGuard, KeyHolderGuard)
export class SshKeyController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get('list')
  @ShowsKeys()
  @ApiOperation({ summary: 'List the own keys, oldest first' })
  @ApiPaging()
  @ApiEnvelope({ model: SshKeyPageResponse })
  async list(@SpeaksFor() caller: Caller, @QueryText() query: QueryParameters): Promise<SshKeyPageResponse> {
    const keys = await this.queries.execute(new ListOwnSshKeys(caller));
    return sshKeyPageResponse(keys, parsePaging(query));
  }

  @Post('add')
  @HttpCode(200)
  @ApiOperation({ summary: 'Add a key' })
  @ApiBody({ type: AddKeyRequest })
  @ApiEnvelope()
  async add(
    @SpeaksFor() caller: Caller,
    @JsonBodyOr({ Dto: AddKeyRequest, refusal: 'request invalid' }) { title, key }: AddKeyRequest,
    @Correlation() correlation: string,
  ): Promise<null> {
    await this.commands.execute(new AddOwnSshKey(caller, title, key, correlation));
    return null;
  }

  @Post('delete')
  @HttpCode(200)
  @ApiOperation({ summary: 'Delete an own key' })
  @ApiQuery({ name: 'id' })
  @ApiEnvelope()
  async delete(
    @SpeaksFor() caller: Caller,
    @QueryText() query: QueryParameters,
    @Correlation() correlation: string,
  ): Promise<null> {
    await this.commands.execute(new RemoveOwnSshKey(caller, keyIdOf(query), correlation));
    return null;
  }
}
