import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiQuery, ApiTags } from '@nestjs/swagger';
import {
  AddOwnSshKeyCommand,
  ListOwnSshKeysQuery,
  RemoveOwnSshKeyCommand,
  UpdateOwnSshKeyCommand,
} from '@keyfold/application';
import { inputRefusal, instantOf, parsePaging, type PreparedResponse } from '@keyfold/http-envelope';
import type { FastifyReply } from 'fastify';
import { ApiEnvelope, ApiTextOrEnvelope } from '../openapi/api-envelope.decorator.js';
import { ApiPaging } from '../openapi/api-paging.decorator.js';
import { ApiRoute } from '../openapi/api-route.decorator.js';
import { IdempotentCommands } from '../request/idempotent-commands.js';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { UNACCEPTED_BODY } from '../openapi/refusal-table.js';
import { bodyOrRefusal, callerOf, callerWithKeysOf, checkedBodyOf, queryOf } from '../request/request-reading.js';
import { sendPersonal } from '../request/revalidated-response.js';
import { KeyHolderGuard, KeyHolderWithKeysGuard } from '../session/caller.guard.js';
import { GuardedBy } from '../session/guarded-by.decorator.js';
import { TakesAccessToken } from '../session/takes-access-token.decorator.js';
import { authorizedKeysResponse } from './authorized-keys.js';
import { keyIdOf } from './key-id.js';
import { AddKeyRequest, UpdateKeyRequest } from './ssh-key.requests.js';
import { sshKeyPageResponse, SshKeyPageResponse } from './ssh-key.responses.js';

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

  @Get('authorized_keys')
  @GuardedBy(KeyHolderWithKeysGuard)
  @TakesAccessToken('keys:manage')
  @ApiRoute({
    id: 'getAuthorizedKeys',
    summary: "Read the caller's keys as a file",
    description:
      'Returns the keys that have not expired as the text of an `authorized_keys` file, with the titles as comments. The answer has an ' +
      '`ETag`; a request with a matching `If-None-Match` gets HTTP 304. Refusals are JSON.',
    refusals: [],
  })
  @ApiTextOrEnvelope('One line for each key: type, key in base64, title.')
  async authorizedKeys(@Req() request: KeyfoldRequest, @Res() reply: FastifyReply): Promise<void> {
    const keys = await this.queryBus.execute(new ListOwnSshKeysQuery(callerWithKeysOf(request)));
    sendPersonal(request, reply, authorizedKeysResponse(keys));
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
      'ssh-key-expiry-malformed',
      'ssh-key-title-too-long',
      'ssh-key-title-taken',
      'ssh-key-invalid',
      'ssh-key-taken',
      'ssh-key-limit-reached',
      'ssh-key-expiry-untimely',
    ],
    idempotent: true,
  })
  @ApiBody({ type: AddKeyRequest })
  @ApiEnvelope()
  async add(@Req() request: KeyfoldRequest): Promise<null> {
    const { title, key, expires } = bodyOrRefusal(AddKeyRequest, request, 'ssh-key-request-invalid');
    const expiresAt = expires === '' ? undefined : instantOf(expires);
    if (expires !== '' && expiresAt === undefined) throw inputRefusal('ssh-key-expiry-malformed');
    const caller = callerOf(request);
    return this.commands.execute(request, (origin) => new AddOwnSshKeyCommand(caller, title, key, expiresAt, origin));
  }

  @Post('update')
  @HttpCode(200)
  @GuardedBy(KeyHolderGuard)
  @TakesAccessToken('keys:manage')
  @ApiRoute({
    id: 'updateSshKey',
    summary: 'Rename a key or change its expiry',
    description:
      'Changes the title of a key, its expiry, or both. A field that is missing stays as it is. An expired key with a new expiry can be ' +
      'used again. The key of another account is refused like an unknown one.',
    refusals: [
      ...UNACCEPTED_BODY,
      'ssh-key-not-found',
      'ssh-key-title-too-long',
      'ssh-key-title-taken',
      'ssh-key-limit-reached',
      'ssh-key-expiry-untimely',
    ],
    idempotent: true,
  })
  @ApiBody({ type: UpdateKeyRequest })
  @ApiEnvelope()
  async update(@Req() request: KeyfoldRequest): Promise<null> {
    const { id, title, expires } = checkedBodyOf(UpdateKeyRequest, request);
    const expiresAt = typeof expires === 'string' ? instantOf(expires) : expires;
    const [caller, change] = [callerOf(request), { title, expiresAt }];
    return this.commands.execute(request, (origin) => new UpdateOwnSshKeyCommand(caller, id, change, origin));
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
