import { Controller, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiProperty, ApiTags } from '@nestjs/swagger';
import {
  AddOwnSshKeyCommand,
  isoTime,
  ListOwnSshKeysQuery,
  RemoveOwnSshKeyCommand,
  UpdateOwnSshKeyCommand,
  type ListedSshKey,
} from '@keyfold/application';
import {
  atoi,
  GoStruct,
  inputRefusal,
  instantOf,
  IsInstant,
  oncePer,
  pageOf,
  parsePaging,
  type InputRefusal,
  type Paging,
  type PreparedResponse,
  type QueryParameters,
} from '@keyfold/http-envelope';
import { md5FingerprintOf } from '@keyfold/projections';
import { IsInt, IsOptional, IsString, Min, MinLength, ValidateIf } from 'class-validator';
import type { FastifyReply } from 'fastify';
import { listResponse } from '../http/list-response.js';
import { revalidatedResponse, sendPersonal } from '../http/revalidated-response.js';
import { UNACCEPTED_BODY } from '../openapi/refusal-table.js';
import { KeyListGuard, KeyOwnerGuard } from '../request/caller.guard.js';
import { ApiText } from '../request/documented-fields.js';
import { IdempotentCommands } from '../request/idempotent-commands.js';
import {
  bodyOrRefusal,
  callerWithKeysOf,
  checkedBodyOf,
  queryOf,
  type KeyfoldRequest,
} from '../request/request-reading.js';
import { PAGING, REFUSAL_CONTENT, Route } from '../request/route.decorator.js';
import { authorizedKeysText } from './authorized-keys.js';

/**
 * Returns an integer from the query. compat: the key routes refuse every other value with one fixed message, that of `refusal`.
 *
 * @throws Refusal 400 with that message.
 */
export function integerOf(query: QueryParameters, name: string, refusal: InputRefusal): number {
  try {
    return atoi(query.get(name) ?? '');
  } catch {
    throw inputRefusal(refusal);
  }
}

export const keyIdOf = (query: QueryParameters) => integerOf(query, 'id', 'key-id-invalid');

const expiresProperty = {
  type: 'string',
  format: 'date-time',
  nullable: true,
  required: false,
  example: '2027-01-31T12:00:00Z',
} as const;

@GoStruct('SSHKeyAddReq')
class AddKeyRequest {
  @ApiText('Title', { required: true, description: 'The title of the key. Must be unique within the account.' })
  title = '';

  @ApiText('Key', {
    required: true,
    description: 'The public key: one line of an `authorized_keys` file, without options.',
  })
  key: string = '';

  @ApiText('Expires', {
    ...expiresProperty,
    description:
      'From when on the key is refused: in the future, at most ten years ahead. Without it the key never expires.',
  })
  expires: string = '';
}

/** A title or an expiry that is not sent stays as it is. An expiry of null means that the key never expires. */
class UpdateKeyRequest {
  @ApiProperty({ type: 'integer', description: 'The id of the key.' })
  @IsInt({ message: '$property must be a positive integer' })
  @Min(1, { message: '$property must be a positive integer' })
  id: number = 0;

  @ApiProperty({ type: 'string', required: false, description: 'The new title. Must be unique within the account.' })
  @ValidateIf((_, value) => value !== undefined)
  @MinLength(1, { message: '$property must be a text that is not empty' })
  @IsString({ message: '$property must be a text that is not empty' })
  title?: string | undefined = undefined;

  @ApiProperty({
    ...expiresProperty,
    description: 'From when on the key is refused: in the future, at most ten years ahead. With null it never expires.',
  })
  @IsOptional()
  @IsInstant()
  expires?: string | null | undefined = undefined;
}

/** An SSH key. The order of the first five fields is part of the contract (wire contract 3.3); clients of OpenList ignore the others. */
class SshKeyResponse {
  @ApiProperty({ type: 'integer' }) id!: number;
  @ApiProperty() title!: string;
  @ApiProperty({ description: 'The fingerprint in the format of `ssh-keygen -lf`.' }) fingerprint!: string;
  @ApiProperty({ format: 'date-time' }) added_time!: string;
  @ApiProperty({ format: 'date-time', description: 'Until the first use, the time when the key was added.' })
  last_used_time!: string;
  @ApiProperty({ description: 'For example `ssh-ed25519`.' }) type!: string;
  @ApiProperty({ type: 'integer' }) bits!: number;
  @ApiProperty({ description: 'The comment in the text of the key.' }) comment!: string;
  @ApiProperty({ description: 'The fingerprint in the format of `ssh-keygen -l -E md5`.' }) fingerprint_md5!: string;
  @ApiProperty({ type: 'string', format: 'date-time', nullable: true, description: 'Null if the key never expires.' })
  expires_time!: string | null;
  @ApiProperty({ description: 'Whether the key has expired. Servers no longer get it.' }) expired!: boolean;
}

export class SshKeyPageResponse {
  @ApiProperty({ type: [SshKeyResponse] }) content!: SshKeyResponse[];
  @ApiProperty({ type: 'integer' }) total!: number;
}

const fullListResponse = oncePer((keys: readonly ListedSshKey[]) => listResponse(keys, keys.length, sshKeyResponse));

/** Returns a page of a key list as a response. Front ends request the full list, so its response is cached for as long as the list is. */
export function sshKeyPageResponse(keys: readonly ListedSshKey[], paging: Paging): Promise<PreparedResponse> {
  const isFull = paging.page === 1 && paging.perPage >= keys.length;
  return isFull ? fullListResponse(keys) : listResponse(pageOf(keys, paging), keys.length, sshKeyResponse);
}

const sshKeyResponse = ({ keyId, title, fingerprint, addedAt, lastUsedAt, ...key }: ListedSshKey): SshKeyResponse => ({
  id: keyId,
  title,
  fingerprint,
  added_time: isoTime(addedAt),
  last_used_time: isoTime(lastUsedAt),
  type: key.type,
  bits: key.bits,
  comment: key.comment,
  fingerprint_md5: md5FingerprintOf(key.blob),
  expires_time: expiryText(key.expiresAt),
  expired: key.expired,
});

export const expiryText = (expiresAt: number | undefined) => (expiresAt === undefined ? null : isoTime(expiresAt));

@ApiTags('SSH keys')
@Controller()
export class SshKeyController {
  constructor(
    private readonly commands: IdempotentCommands,
    private readonly queryBus: QueryBus,
  ) {}

  @Route('GET /api/me/sshkey/list', {
    id: 'listSshKeys',
    summary: "List the caller's keys",
    description: 'Returns the keys, oldest first. `total` counts all keys, also those of other pages.',
    guard: KeyListGuard,
    scope: 'keys:manage',
    query: PAGING,
    answer: SshKeyPageResponse,
    refusals: ['query-too-long', 'list-query-malformed', 'page-invalid'],
  })
  async list(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    const keys = await this.queryBus.execute(new ListOwnSshKeysQuery(callerWithKeysOf(request)));
    return sshKeyPageResponse(keys, parsePaging(queryOf(request)));
  }

  @Route('GET /api/me/sshkey/authorized_keys', {
    id: 'getAuthorizedKeys',
    summary: "Read the caller's keys as a file",
    description:
      'Returns the keys that have not expired as the text of an `authorized_keys` file, with the titles as comments. The answer has an ' +
      '`ETag`; a request with a matching `If-None-Match` gets HTTP 304. Refusals are JSON.',
    guard: KeyListGuard,
    scope: 'keys:manage',
    answer: {
      description: 'Plain text, or an envelope whose `code` is that of a refusal.',
      content: {
        'text/plain': { schema: { type: 'string', description: 'One line for each key: type, key in base64, title.' } },
        ...REFUSAL_CONTENT,
      },
    },
    refusals: [],
  })
  async authorizedKeys(@Req() request: KeyfoldRequest, @Res() reply: FastifyReply): Promise<void> {
    const keys = await this.queryBus.execute(new ListOwnSshKeysQuery(callerWithKeysOf(request)));
    sendPersonal(request, reply, revalidatedResponse('text/plain; charset=utf-8', authorizedKeysText(keys)));
  }

  @Route('POST /api/me/sshkey/add', {
    id: 'addSshKey',
    summary: 'Add a key',
    description: "Adds a public key to the caller's account. Titles and keys are unique within an account.",
    guard: KeyOwnerGuard,
    scope: 'keys:manage',
    body: AddKeyRequest,
    answer: null,
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
  async add(@Req() request: KeyfoldRequest): Promise<null> {
    const { title, key, expires } = bodyOrRefusal(AddKeyRequest, request, 'ssh-key-request-invalid');
    const expiresAt = expires === '' ? undefined : instantOf(expires);
    if (expires !== '' && expiresAt === undefined) throw inputRefusal('ssh-key-expiry-malformed');
    return this.commands.run(
      request,
      (caller, origin) => new AddOwnSshKeyCommand(caller, title, key, expiresAt, origin),
    );
  }

  @Route('POST /api/me/sshkey/update', {
    id: 'updateSshKey',
    summary: 'Rename a key or change its expiry',
    description:
      'Changes the title of a key, its expiry, or both. A field that is missing stays as it is. An expired key with a new expiry can be ' +
      'used again. The key of another account is refused like an unknown one.',
    guard: KeyOwnerGuard,
    scope: 'keys:manage',
    body: UpdateKeyRequest,
    answer: null,
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
  async update(@Req() request: KeyfoldRequest): Promise<null> {
    const { id, title, expires } = checkedBodyOf(UpdateKeyRequest, request);
    const expiresAt = typeof expires === 'string' ? instantOf(expires) : expires;
    const change = { title, expiresAt };
    return this.commands.run(request, (caller, origin) => new UpdateOwnSshKeyCommand(caller, id, change, origin));
  }

  @Route('POST /api/me/sshkey/delete', {
    id: 'deleteSshKey',
    summary: "Delete one of the caller's keys",
    description: 'Deletes the key with this id. The key of another account is refused like an unknown one.',
    guard: KeyOwnerGuard,
    scope: 'keys:manage',
    query: [{ name: 'id', schema: { type: 'integer' }, description: 'The id of the key.' }],
    answer: null,
    refusals: ['query-too-long', 'key-id-invalid', 'ssh-key-not-found'],
    idempotent: true,
  })
  async delete(@Req() request: KeyfoldRequest): Promise<null> {
    const keyId = keyIdOf(queryOf(request));
    return this.commands.run(request, (caller, origin) => new RemoveOwnSshKeyCommand(caller, keyId, origin));
  }
}
