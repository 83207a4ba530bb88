import { Controller, Get, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOperation, ApiProperty, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { AddOwnSshKeyCommand, ListOwnSshKeysQuery, RemoveOwnSshKeyCommand } from '@keyfold/application';
import { GoStruct, parsePaging, TextField, type PreparedResponse } from '@keyfold/http-envelope';
import { ApiEnvelope } from '../openapi/api-envelope.decorator.js';
import { ApiPaging } from '../openapi/api-paging.decorator.js';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { bodyOrRefusal, callerOf, callerWithKeysOf, originOf, queryOf } from '../request/request-reading.js';
import { KeyHolderGuard, KeyHolderWithKeysGuard } from '../session/caller.guard.js';
import { keyIdOf } from './key-id.js';
import { sshKeyPageResponse, SshKeyPageResponse } from './ssh-key.responses.js';

@GoStruct('SSHKeyAddReq')
class AddKeyRequest {
  @ApiProperty({ description: 'The title of the key. Must be unique within the account.' })
  @TextField('Title', { required: true })
  title: string = '';

  @ApiProperty({ description: 'The public key: one line of an `authorized_keys` file, without options.' })
  @TextField('Key', { required: true })
  key: string = '';
}

@ApiTags('SSH keys')
@ApiSecurity('token')
@Controller('api/me/sshkey')
export class SshKeyController {
  constructor(
    private readonly commandBus: CommandBus,
    private readonly queryBus: QueryBus,
  ) {}

  @Get('list')
  @UseGuards(KeyHolderWithKeysGuard)
  @ApiOperation({ summary: "List the caller's keys, oldest first" })
  @ApiPaging()
  @ApiEnvelope({ model: SshKeyPageResponse })
  async list(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    const keys = await this.queryBus.execute(new ListOwnSshKeysQuery(callerWithKeysOf(request)));
    return sshKeyPageResponse(keys, parsePaging(queryOf(request)));
  }

  @Post('add')
  @HttpCode(200)
  @UseGuards(KeyHolderGuard)
  @ApiOperation({ summary: 'Add a key' })
  @ApiBody({ type: AddKeyRequest })
  @ApiEnvelope()
  async add(@Req() request: KeyfoldRequest): Promise<null> {
    const { title, key } = bodyOrRefusal(AddKeyRequest, request, 'request invalid');
    await this.commandBus.execute(new AddOwnSshKeyCommand(callerOf(request), title, key, originOf(request)));
    return null;
  }

  @Post('delete')
  @HttpCode(200)
  @UseGuards(KeyHolderGuard)
  @ApiOperation({ summary: "Delete one of the caller's keys" })
  @ApiQuery({ name: 'id' })
  @ApiEnvelope()
  async delete(@Req() request: KeyfoldRequest): Promise<null> {
    await this.commandBus.execute(
      new RemoveOwnSshKeyCommand(callerOf(request), keyIdOf(queryOf(request)), originOf(request)),
    );
    return null;
  }
}
