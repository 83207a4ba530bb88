import { Controller, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiProperty, ApiTags } from '@nestjs/swagger';
import { FindSshKeyQuery, ListAnySshKeysQuery, RemoveAnySshKeyCommand, type SshKeyOwners } from '@keyfold/application';
import { parsePaging, type PreparedResponse } from '@keyfold/http-envelope';
import { Matches } from 'class-validator';
import { UNACCEPTED_QUERY } from '../openapi/refusal-table.js';
import { AdminGuard } from '../request/caller.guard.js';
import { IdempotentCommands } from '../request/idempotent-commands.js';
import { checkedQueryOf, queryOf, type KeyfoldRequest } from '../request/request-reading.js';
import { PAGING, Route } from '../request/route.decorator.js';
import { expiryText, integerOf, keyIdOf, sshKeyPageResponse, SshKeyPageResponse } from './ssh-key.controller.js';

/** The fingerprint of a key in either format of `ssh-keygen -l`, and where to continue. */
class FindKeyRequest {
  @ApiProperty({ description: 'As `ssh-keygen -lf` prints it: `SHA256:…`, or `MD5:…` with `-E md5`.' })
  @Matches(/^(SHA256:[A-Za-z0-9+/ ]{43}=?|MD5:[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){15})$/, {
    message: '$property must have the form SHA256:… or MD5:… that ssh-keygen -l prints',
  })
  fingerprint: string = '';

  @Matches(/^\d{1,15}$/, { message: '$property must be an account id' })
  after: string = '0';
}

class SshKeyOwnerResponse {
  @ApiProperty({ type: 'integer', description: 'The id of the account.' }) user_id!: number;
  @ApiProperty() username!: string;
  @ApiProperty({ description: 'Whether the account is disabled.' }) disabled!: boolean;
  @ApiProperty({ type: 'integer', description: 'The id of the key.' }) key_id!: number;
  @ApiProperty({ description: 'The title of the key in this account.' }) title!: string;
  @ApiProperty({ type: 'string', format: 'date-time', nullable: true, description: 'Null if the key never expires.' })
  expires_time!: string | null;
  @ApiProperty({ description: 'Whether the key has expired in this account.' }) expired!: boolean;
}

class SshKeyOwnersResponse {
  @ApiProperty({ type: [SshKeyOwnerResponse] }) content!: SshKeyOwnerResponse[];
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'If further accounts may follow, the value of `after` that continues the search. Null if there are none.',
  })
  next!: number | null;
}

const sshKeyOwnersResponse = ({ owners, next }: SshKeyOwners): SshKeyOwnersResponse => ({
  content: owners.map(({ accountId, username, disabled, keyId, title, expiresAt, expired }) => ({
    user_id: accountId,
    username,
    disabled,
    key_id: keyId,
    title,
    expires_time: expiryText(expiresAt),
    expired,
  })),
  next: next ?? null,
});

@ApiTags('administration')
@Controller()
export class SshKeyAdministrationController {
  constructor(
    private readonly commands: IdempotentCommands,
    private readonly queryBus: QueryBus,
  ) {}

  @Route('GET /api/admin/user/sshkey/list', {
    id: 'listUserSshKeys',
    summary: 'List the keys of an account',
    description: 'Returns the keys of any account, oldest first. `total` counts all keys, also those of other pages.',
    guard: AdminGuard,
    scope: 'accounts:read',
    query: [...PAGING, { name: 'uid', schema: { type: 'integer' }, description: 'The id of the account.' }],
    answer: SshKeyPageResponse,
    refusals: ['query-too-long', 'key-owner-id-invalid', 'user-invalid', 'list-query-malformed', 'page-invalid'],
  })
  async list(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    const accountId = integerOf(queryOf(request), 'uid', 'key-owner-id-invalid');
    const keys = await this.queryBus.execute(new ListAnySshKeysQuery(accountId));
    return sshKeyPageResponse(keys, parsePaging(queryOf(request)));
  }

  @Route('POST /api/admin/user/sshkey/delete', {
    id: 'deleteUserSshKey',
    summary: 'Delete any key',
    description:
      'Deletes the key with this id, whatever account it belongs to. Succeeds even if the key does not exist.',
    guard: AdminGuard,
    scope: 'accounts:manage',
    query: [{ name: 'id', schema: { type: 'integer' }, description: 'The id of the key.' }],
    answer: null,
    refusals: ['query-too-long', 'key-id-invalid', 'admin-unchangeable-by-token'],
    idempotent: true,
  })
  async delete(@Req() request: KeyfoldRequest): Promise<null> {
    const keyId = keyIdOf(queryOf(request));
    return this.commands.run(request, (caller, origin) => new RemoveAnySshKeyCommand(caller, keyId, origin));
  }

  @Route('GET /api/admin/sshkey/find', {
    id: 'findSshKeyOwners',
    summary: 'Find the owners of a key',
    description:
      'Returns the accounts that have the key with this fingerprint, at most 100 and the lowest id first. Disabled accounts and expired ' +
      'keys are found too. If `next` is not null, repeat the request with it as `after`. While the index of keys is far behind, for ' +
      'example after a restore, the answer is HTTP 503 with `Retry-After`.',
    guard: AdminGuard,
    scope: 'keys:find',
    query: [
      {
        name: 'after',
        required: false,
        schema: { type: 'integer' },
        description: 'Only accounts above this id.',
      },
      {
        name: 'fingerprint',
        description: 'As `ssh-keygen -lf` prints it: `SHA256:…`, or `MD5:…` with `-E md5`.',
      },
    ],
    answer: SshKeyOwnersResponse,
    refusals: UNACCEPTED_QUERY,
  })
  async find(@Req() request: KeyfoldRequest): Promise<SshKeyOwnersResponse> {
    const { fingerprint, after } = checkedQueryOf(FindKeyRequest, request);
    const query = new FindSshKeyQuery(normalized(fingerprint), Number(after));
    return sshKeyOwnersResponse(await this.queryBus.execute(query));
  }
}

/** A plus sign that was not escaped arrives as a space. Some programs add padding, or write MD5 in capitals. */
const normalized = (fingerprint: string) =>
  fingerprint.startsWith('MD5:')
    ? `MD5:${fingerprint.slice(4).toLowerCase()}`
    : fingerprint.replaceAll(' ', '+').replace(/=$/, '');
