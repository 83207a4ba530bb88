import { Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiProperty, ApiQuery, ApiTags } from '@nestjs/swagger';
import { AddOwnSshKeyCommand, ListOwnSshKeysQuery, RemoveOwnSshKeyCommand } from '@keyfold/application';
import { GoStruct, parsePaging, TextField, type PreparedResponse } from '@keyfold/http-envelope';
import { ApiEnvelope } from '../openapi/api-envelope.decorator.js';
import { ApiPaging } from '../openapi/api-paging.decorator.js';
import { ApiRoute } from '../openapi/api-route.decorator.js';
import { IdempotentCommands } from '../request/idempotent-commands.js';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { bodyOrRefusal, callerOf, callerWithKeysOf, queryOf } from '../request/request-reading.js';
import { KeyHolderGuard, KeyHolderWithKeysGuard } from '../session/caller.guard.js';
import { GuardedBy } from '../session/guarded-by.decorator.js';
import { TakesAccessToken } from '../session/takes-access-token.decorator.js';
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
@Controller('api/me/sshkey')
export class SshKeyController {
  constructor(
    private readonly commands: IdempotentCommands,
    private readonly queryBus: QueryBus,
  ) {}

  @Get('list')
  @GuardedBy(KeyHolderWithKeysGuard)
  @TakesAccessToken('keys:manage')
  @ApiRoute({
    id: 'listSshKeys',
    summary: "List the caller's keys",
    description: 'Returns the keys, oldest first. `total` counts all keys, also those of other pages.',
    refusals: ['query-too-long', 'list-query-malformed', 'page-invalid'],
  })
  @ApiPaging()
  @ApiEnvelope({ model: SshKeyPageResponse })
  async list(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    const keys = await this.queryBus.execute(new ListOwnSshKeysQuery(callerWithKeysOf(request)));
    return sshKeyPageResponse(keys, parsePaging(queryOf(request)));
  }

  @Post('add')
  @HttpCode(200)
  @GuardedBy(KeyHolderGuard)
  @TakesAccessToken('keys:manage')
  @ApiRoute({
    id: 'addSshKey',
    summary: 'Add a key',
    description: "Adds a public key to the caller's account. Titles and keys are unique within an account.",
    refusals: [
      'ssh-key-request-invalid',
      'ssh-key-title-too-long',
      'ssh-key-title-taken',
      'ssh-key-invalid',
      'ssh-key-taken',
      'ssh-key-limit-reached',
    ],
    idempotent: true,
  })
  @ApiBody({ type: AddKeyRequest })
  @ApiEnvelope()
  async add(@Req() request: KeyfoldRequest): Promise<null> {
    const { title, key } = bodyOrRefusal(AddKeyRequest, request, 'ssh-key-request-invalid');
    const caller = callerOf(request);
    return this.commands.execute(request, (origin) => new AddOwnSshKeyCommand(caller, title, key, origin));
  }

  @Post('delete')
  @HttpCode(200)
  @GuardedBy(KeyHolderGuard)
  @TakesAccessToken('keys:manage')
  @ApiRoute({
    id: 'deleteSshKey',
    summary: "Delete one of the caller's keys",
    description: 'Deletes the key with this id. The key of another account is refused like an unknown one.',
    refusals: ['query-too-long', 'key-id-invalid', 'ssh-key-not-found'],
    idempotent: true,
  })
  @ApiQuery({ name: 'id', schema: { type: 'integer' }, description: 'The id of the key.' })
  @ApiEnvelope()
  async delete(@Req() request: KeyfoldRequest): Promise<null> {
    const [caller, keyId] = [callerOf(request), keyIdOf(queryOf(request))];
    return this.commands.execute(request, (origin) => new RemoveOwnSshKeyCommand(caller, keyId, origin));
  }
}
