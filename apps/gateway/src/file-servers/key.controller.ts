import { Controller, Logger, Req, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiProperty, ApiTags, type ApiQueryOptions } from '@nestjs/swagger';
import {
  FindSshKeyQuery,
  LookUpPastSshKeysQuery,
  LookUpSshKeysQuery,
  RecordSshKeyUseCommand,
  actorOf,
  type LookedUpAccount,
  type SshKeyOwners,
} from '@keyfold/application';
import { DomainError, mayLogInOver } from '@keyfold/domain';
import { CommandIdReused } from '@keyfold/event-store';
import { instantOf, IsInstant, Refusal, successEnvelope } from '@keyfold/http-envelope';
import { IsOptional, Length, Matches, MaxLength } from 'class-validator';
import type { FastifyReply } from 'fastify';
import { UNACCEPTED_BODY, UNACCEPTED_QUERY } from '../openapi/refusal-table.js';
import { callerOf, checkedBodyOf, checkedQueryOf, originOf, type KeyfoldRequest } from '../request/request-reading.js';
import { RequestQueue } from '../request/request-queue.js';
import { Route } from '../request/route.decorator.js';
import { revalidatedResponse, sendPersonal } from '../http/revalidated-response.js';
import { AccountResponse, envelopeOf } from './file-servers.document.js';
import { NeedsScope, SERVER_TOKEN } from './server-token.guard.js';

/** The longest user name or password, as a user name in the question of other services over RabbitMQ. */
export const TEXT_LETTERS = 4_096;

const IsFingerprint = (): PropertyDecorator =>
  Matches(/^SHA256:[A-Za-z0-9+/]{43}$/, {
    message: '$property must have the form that ssh-keygen -lf prints: SHA256:…',
  });

class KeyLookUp {
  /** Nobody has the empty name. */
  @MaxLength(TEXT_LETTERS, { message: `$property must be a text of at most ${TEXT_LETTERS} letters` })
  username: string | undefined = undefined;

  @IsOptional()
  @IsFingerprint()
  fingerprint: string | undefined = undefined;

  @IsOptional()
  @IsInstant()
  at: string | undefined = undefined;
}

const FINGERPRINT = { name: 'fingerprint', description: 'As `ssh-keygen -lf` prints it: `SHA256:…`.' } as const;

/** The fields of `KeyLookUp`. */
const KEY_LOOK_UP: readonly ApiQueryOptions[] = [
  { name: 'username', schema: { type: 'string' }, description: 'The name of the account.' },
  { ...FINGERPRINT, required: false, schema: { type: 'string' } },
  {
    name: 'at',
    required: false,
    schema: { type: 'string', format: 'date-time' },
    description: 'Asks for the keys that let in at this time.',
  },
];

class KeyOwnerLookUp {
  @IsFingerprint()
  fingerprint: string = '';

  /** An account id as decimal digits. */
  @Matches(/^\d{1,15}$/, { message: '$property must be the id of an account' })
  after: string = '0';
}

class KeyUseReport {
  @ApiProperty({ description: 'Chosen by the server. A repeated report with the same id has no effect.' })
  @Matches(/^[\w.-]{8,64}$/, { message: '$property must have 8 to 64 letters, digits, _, . or -' })
  id: string = '';

  @ApiProperty({ description: 'The name of the account.' })
  @Length(1, TEXT_LETTERS, { message: `$property must be a text of 1 to ${TEXT_LETTERS} letters` })
  username: string = '';

  @ApiProperty({ description: FINGERPRINT.description })
  @IsFingerprint()
  fingerprint: string = '';

  @ApiProperty({ format: 'date-time', description: 'When the server verified the signature.' })
  @IsInstant()
  time: string = '';
}

class KeyResponse {
  @ApiProperty({ type: 'integer' }) id!: number;
  @ApiProperty() title!: string;
  @ApiProperty({ description: 'For example `ssh-ed25519`.' }) type!: string;
  @ApiProperty({ description: FINGERPRINT.description }) fingerprint!: string;
  @ApiProperty({ description: 'Type and key, as in a line of `authorized_keys`.' }) public_key!: string;
}

class KeysResponse {
  @ApiProperty({ type: AccountResponse, nullable: true }) account!: AccountResponse | null;
  @ApiProperty({ type: [KeyResponse] }) keys!: KeyResponse[];
}

class KeyOwnersResponse {
  @ApiProperty({ type: [AccountResponse] }) accounts!: AccountResponse[];
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'If further accounts may follow, the value of `after` that continues the search.',
  })
  next!: number | null;
}

/** The keys that let users in, for servers that log in over SSH. */
@ApiTags('keys')
@Controller()
export class KeyController {
  readonly #log = new Logger(KeyController.name);
  /** One runs at a time, because each reads the whole history of an account. */
  readonly #past = new RequestQueue('look-ups at earlier times');

  constructor(
    private readonly queryBus: QueryBus,
    private readonly commandBus: CommandBus,
  ) {}

  @Route('GET /authorized_keys', {
    id: 'lookUpAuthorizedKeys',
    summary: 'Look up the keys of an account as a file',
    description:
      'Returns lines of `authorized_keys` with type and key only, and no line for whatever reason nobody may log in. The answer has an ' +
      '`ETag`; a request with a matching `If-None-Match` gets HTTP 304.',
    guard: SERVER_TOKEN,
    scope: 'keys:look-up',
    query: KEY_LOOK_UP,
    answer: { description: 'The keys.', content: { 'text/plain': { schema: { type: 'string' } } } },
    refusals: UNACCEPTED_QUERY,
  })
  @NeedsScope('keys:look-up')
  async authorizedKeys(@Req() request: KeyfoldRequest, @Res() reply: FastifyReply): Promise<void> {
    const keys = (await this.#lookUp(request))?.keys ?? [];
    // Without titles, which their owners choose.
    const lines = keys.map(({ type, blob }) => `${type} ${blob}\n`);
    sendPersonal(request, reply, revalidatedResponse('text/plain; charset=utf-8', lines.join('')));
  }

  @Route('GET /ssh-keys', {
    id: 'lookUpSshKeys',
    summary: 'Look up the keys of an account',
    description:
      'Returns the account and its keys. For whatever reason nobody may log in, `account` is null and `keys` is empty. The answer has an ' +
      '`ETag`; a request with a matching `If-None-Match` gets HTTP 304.',
    guard: SERVER_TOKEN,
    scope: 'keys:look-up',
    query: KEY_LOOK_UP,
    answer: envelopeOf(KeysResponse),
    refusals: UNACCEPTED_QUERY,
  })
  @NeedsScope('keys:look-up')
  async keys(@Req() request: KeyfoldRequest, @Res() reply: FastifyReply): Promise<void> {
    sendJson(request, reply, keysResponse(await this.#lookUp(request)));
  }

  @Route('GET /ssh-key-owners', {
    id: 'lookUpSshKeyOwners',
    summary: 'Look up whom a key lets in',
    description: 'Returns the accounts that the key lets in, in the order of their ids.',
    guard: SERVER_TOKEN,
    scope: 'keys:look-up',
    query: [
      { ...FINGERPRINT, schema: { type: 'string' } },
      {
        name: 'after',
        required: false,
        schema: { type: 'integer', minimum: 0, default: 0 },
        description: 'Continues a search after the account with this id.',
      },
    ],
    answer: envelopeOf(KeyOwnersResponse),
    refusals: UNACCEPTED_QUERY,
  })
  @NeedsScope('keys:look-up')
  async owners(@Req() request: KeyfoldRequest, @Res() reply: FastifyReply): Promise<void> {
    const { fingerprint, after } = checkedQueryOf(KeyOwnerLookUp, request);
    const found = await this.queryBus.execute(new FindSshKeyQuery(fingerprint, Number(after)));
    sendJson(request, reply, ownersResponse(found));
  }

  @Route('POST /ssh-key-uses', {
    id: 'reportSshKeyUse',
    summary: 'Report that a key opened a session',
    description:
      'Records the use of a key, if it is possible. 409: the id belongs to a report about another account. Report a key only after ' +
      'verifying a signature.',
    guard: SERVER_TOKEN,
    scope: 'keys:look-up',
    body: KeyUseReport,
    answer: { noContent: 'The report was received.' },
    refusals: UNACCEPTED_BODY,
  })
  @NeedsScope('keys:look-up')
  async reportUse(@Req() request: KeyfoldRequest): Promise<void> {
    const { id, username, fingerprint, time } = checkedBodyOf(KeyUseReport, request);
    const found = await this.queryBus.execute(new LookUpSshKeysQuery(username, fingerprint));
    if (!found) return;
    const origin = originOf(request);
    const use = { accountId: found.accountId, fingerprint, usedAt: instantOf(time)! };
    const report = { reporter: actorOf(callerOf(request)), reportId: id, origin };
    try {
      await this.commandBus.execute(new RecordSshKeyUseCommand({ ...use, ...report }));
    } catch (error) {
      if (error instanceof CommandIdReused) throw new Refusal(409, 'the id belongs to a report about another account');
      if (!(error instanceof DomainError)) throw error;
      const { correlation } = origin;
      this.#log.warn({ reason: error.code, correlation }, 'the use of an SSH key was not recorded');
    }
  }

  /** No answer reveals whether the name is unknown, the account cannot log in, or the key is missing. */
  async #lookUp(request: KeyfoldRequest): Promise<LookedUpAccount | null> {
    const { username = '', fingerprint, at } = checkedQueryOf(KeyLookUp, request);
    const found = await (at === undefined
      ? this.queryBus.execute(new LookUpSshKeysQuery(username, fingerprint))
      : this.#past.run('', () =>
          this.queryBus.execute(new LookUpPastSshKeysQuery(username, fingerprint, instantOf(at)!)),
        ));
    return found && found.keys.length > 0 ? found : null;
  }
}

const sendJson = (request: KeyfoldRequest, reply: FastifyReply, data: object): void =>
  sendPersonal(request, reply, revalidatedResponse('application/json; charset=utf-8', successEnvelope(data)));

function keysResponse(found: LookedUpAccount | null): KeysResponse {
  if (!found) return { account: null, keys: [] };
  const { accountId: id, username, basePath: base_path, permission } = found;
  const keys = found.keys.map(({ keyId, title, type, blob, fingerprint }) => ({
    id: keyId,
    title,
    type,
    fingerprint,
    public_key: `${type} ${blob}`,
  }));
  return { account: { id, username, base_path, permission }, keys };
}

/** Others than those whom the key lets in, such as disabled accounts, are left out as if they did not have it. */
function ownersResponse({ owners, next }: SshKeyOwners): KeyOwnersResponse {
  const accounts = owners
    .filter(({ disabled, expired, permission }) => !disabled && !expired && mayLogInOver('sftp', permission))
    .map(({ accountId: id, username, basePath: base_path, permission }) => ({ id, username, base_path, permission }));
  return { accounts, next: next ?? null };
}
