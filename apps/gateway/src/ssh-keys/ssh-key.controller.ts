import { Controller, Get, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOperation, ApiProperty, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { AddOwnSshKey, ListOwnSshKeys, RemoveOwnSshKey } from '@keyfold/application';
import { GoStruct, parsePaging, TextField, type PreparedAnswer } from '@keyfold/http-envelope';
import { ApiEnvelope } from '../openapi/api-envelope.decorator.js';
import { ApiPaging } from '../openapi/api-paging.decorator.js';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { bodyOrRefusal, callerOf, originOf, queryOf } from '../request/request-reading.js';
import { KeyHolderGuard, KeyHolderWithKeysGuard } from '../session/caller.guard.js';
import { keyIdOf } from './key-id.js';
import { sshKeyPageAnswer, SshKeyPageResponse } from './ssh-key.responses.js';

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
export class SshKeyController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get('list')
  @UseGuards(KeyHolderWithKeysGuard)
  @ApiOperation({ summary: 'List the own keys, oldest first' })
  @ApiPaging()
  @ApiEnvelope({ model: SshKeyPageResponse })
  async list(@Req() request: KeyfoldRequest): Promise<PreparedAnswer> {
    const keys = await this.queries.execute(new ListOwnSshKeys(callerOf(request)));
    return sshKeyPageAnswer(keys, parsePaging(queryOf(request)));
  }

  @Post('add')
  @HttpCode(200)
  @UseGuards(KeyHolderGuard)
  @ApiOperation({ summary: 'Add a key' })
  @ApiBody({ type: AddKeyRequest })
  @ApiEnvelope()
  async add(@Req() request: KeyfoldRequest): Promise<null> {
    const { title, key } = bodyOrRefusal(AddKeyRequest, request, 'request invalid');
    await this.commands.execute(new AddOwnSshKey(callerOf(request), title, key, originOf(request)));
    return null;
  }

  @Post('delete')
  @HttpCode(200)
  @UseGuards(KeyHolderGuard)
  @ApiOperation({ summary: 'Delete an own key' })
  @ApiQuery({ name: 'id' })
  @ApiEnvelope()
  async delete(@Req() request: KeyfoldRequest): Promise<null> {
    await this.commands.execute(new RemoveOwnSshKey(callerOf(request), keyIdOf(queryOf(request)), originOf(request)));
    return null;
  }
}
