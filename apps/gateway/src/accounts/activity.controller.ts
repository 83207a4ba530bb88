import { applyDecorators, Controller, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiProperty, ApiTags, type ApiPropertyOptions } from '@nestjs/swagger';
import {
  ACTIVITY_TYPES,
  activityJson,
  ACTOR_KINDS,
  ExportActivityQuery,
  ListAnyActivityQuery,
  ListOwnActivityQuery,
  refuseGuest,
  type ActivityPage,
  type ActivityCursor,
  type ActivitySelection,
} from '@keyfold/application';
import { Fault, instantOf, IsInstant, type PreparedResponse } from '@keyfold/http-envelope';
import { IsOptional, ValidateBy } from 'class-validator';
import type { FastifyReply } from 'fastify';
import { cursorResponse } from '../http/list-response.js';
import { UNACCEPTED_QUERY } from '../openapi/refusal-table.js';
import { AdminGuard, CallerGuard } from '../request/caller.guard.js';
import { callerOf, checkedQueryOf, type KeyfoldRequest } from '../request/request-reading.js';
import { RequestQueue } from '../request/request-queue.js';
import { REFUSAL_CONTENT, Route } from '../request/route.decorator.js';
import { ActivityExport } from './activity-export.js';

/** Returns the opaque text of a cursor for clients, which ask with it for what comes after it. */
const encodeCursor = ({ at, key, index }: ActivityCursor): string =>
  Buffer.from(`${at}.${key}.${index}`).toString('base64url');

/** Returns the cursor; undefined for a text that `encodeCursor` does not return. */
function decodeCursor(text: string): ActivityCursor | undefined {
  if (text.length > LONGEST) return undefined;
  const [, ...numbers] = /^(\d+)\.(\d+)\.(\d+)$/.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  const [at = -1, key = -1, index = -1] = numbers.map(Number);
  const cursor = { at, key, index };
  return Object.values(cursor).every(Number.isSafeInteger) && encodeCursor(cursor) === text ? cursor : undefined;
}

/** Letters of the longest cursor: three safe integers. */
const LONGEST = 68;

const DEFAULT_LIMIT = 50;
export const MOST = 200;

/** Declares a field whose text `accepts`. `expected` completes the sentence "must be …". */
const Satisfies = (accepts: (text: string) => boolean, expected: string): PropertyDecorator =>
  ValidateBy(
    { name: 'satisfies', validator: { validate: (value) => typeof value === 'string' && accepts(value) } },
    { message: `$property must be ${expected}` },
  );

/** Declares and documents an optional field. */
const Optional = (documentation: ApiPropertyOptions, check: PropertyDecorator): PropertyDecorator =>
  applyDecorators(ApiProperty({ required: false, ...(documentation as object) }), IsOptional(), check);

const isWhole = (text: string, most: number) => /^[1-9]\d{0,15}$/.test(text) && Number(text) <= most;
const isAccountId = (text: string) => isWhole(text, Number.MAX_SAFE_INTEGER);
const typesIn = (text: string) => text.split(',');
const kinds: readonly string[] = ACTOR_KINDS;

const instant = { type: 'string', format: 'date-time' } as const;

class ActivityFilter {
  @Optional(
    {
      type: 'string',
      description: `Only these types, separated by commas: ${ACTIVITY_TYPES.map((type) => `\`${type}\``).join(', ')}.`,
    },
    Satisfies(
      (text) => typesIn(text).every((type) => ACTIVITY_TYPES.includes(type)),
      'a type of activity, or several separated by commas, such as ssh-key.added,ssh-key.removed',
    ),
  )
  type?: string = undefined;

  @Optional({ ...instant, description: 'Only at or after this RFC 3339 time.' }, IsInstant())
  from?: string = undefined;

  @Optional({ ...instant, description: 'Only before this RFC 3339 time.' }, IsInstant())
  until?: string = undefined;
}

class ActivityQuery extends ActivityFilter {
  @Optional(
    {
      type: 'integer',
      minimum: 1,
      maximum: MOST,
      default: DEFAULT_LIMIT,
      description: 'The maximum number of entries of the page.',
    },
    Satisfies((text) => isWhole(text, MOST), `an integer from 1 to ${MOST}`),
  )
  limit?: string = undefined;

  @Optional(
    { type: 'string', description: 'The `next_cursor` of the page before this one.' },
    Satisfies((text) => decodeCursor(text) !== undefined, 'the next_cursor of an earlier answer, unchanged'),
  )
  cursor?: string = undefined;
}

const Actor = () =>
  Optional(
    {
      type: 'string',
      description: `Only by this actor: an account id, or one of ${ACTOR_KINDS.map((kind) => `\`${kind}\``).join(', ')}.`,
    },
    Satisfies((text) => isAccountId(text) || kinds.includes(text), `an account id or one of ${ACTOR_KINDS.join(', ')}`),
  );

class AccountActivityQuery extends ActivityQuery {
  @ApiProperty({ type: 'integer', description: 'The id of the account. It may have been deleted.' })
  @Satisfies(isAccountId, 'an account id')
  id = '';

  @Actor() actor?: string = undefined;
}

class AnyActivityQuery extends ActivityQuery {
  @Actor() actor?: string = undefined;
}

class ActivityExportQuery extends ActivityFilter {
  @Actor() actor?: string = undefined;
}

function selectionOf({ type, from, until, actor }: ActivityFilter & { actor?: string }): ActivitySelection {
  return {
    types: type === undefined ? undefined : typesIn(type),
    from: from === undefined ? undefined : instantOf(from),
    until: until === undefined ? undefined : instantOf(until),
    actor: actor !== undefined && isAccountId(actor) ? Number(actor) : actor,
  };
}

const pagingOf = ({ cursor, limit }: ActivityQuery): { after: ActivityCursor | undefined; limit: number } => ({
  after: cursor === undefined ? undefined : decodeCursor(cursor),
  limit: limit === undefined ? DEFAULT_LIMIT : Number(limit),
});

const integerOrNull = { oneOf: [{ type: 'integer' }, { type: 'null' }] };

class ActorResponse {
  @ApiProperty({
    description:
      'How the actor was known: `session`, `guest`, `static-token`, `access-token`, `login` (the credentials of a login), ' +
      '`operator`, `message`, `import`, `expiry` (the expiry of a key) or `first-start`. More values may be added.',
  })
  kind!: string;
  @ApiProperty({ ...integerOrNull, description: 'Null if the actor is no account.' }) account_id!: number | null;
  @ApiProperty({
    description: 'The present name of the account. Empty if it was deleted, or if only administrators may see it.',
  })
  username!: string;
  @ApiProperty({ ...integerOrNull, description: 'The access token, if one was used.' }) token_id!: number | null;
}

class ActivityResponse {
  @ApiProperty({ description: 'Never changes, and is unique. Public events have the same ids.' }) id!: string;
  @ApiProperty({ format: 'date-time', description: 'ISO 8601 in UTC.' }) time!: string;
  @ApiProperty({ description: 'For example `ssh-key.added`. More values may be added.' }) type!: string;
  @ApiProperty({ ...integerOrNull, description: 'Null for the settings of the site.' }) account_id!: number | null;
  @ApiProperty({ description: 'The present name of the account. Empty if it was deleted.' }) username!: string;
  @ApiProperty() actor!: ActorResponse;
  @ApiProperty({ description: 'The session of the change. Empty if it had none.' }) session_id!: string;
  @ApiProperty({ description: 'The address that the session logged in from. Empty once the session is deleted.' })
  ip!: string;
  @ApiProperty({ description: 'The user agent that the session logged in with. Empty once the session is deleted.' })
  ua!: string;
  @ApiProperty({ description: 'The id that the server gave to the request, as in the log.' }) correlation_id!: string;
  @ApiProperty({ type: 'object', additionalProperties: true, description: 'Facts that depend on the type.' })
  details!: object;
}

/** A page of the history, the newest event first. */
class ActivityPageResponse {
  @ApiProperty({ type: [ActivityResponse] }) content!: ActivityResponse[];
  @ApiProperty({
    description: 'Continues the history. Empty at its end. A page may be short, or empty, before the end.',
  })
  next_cursor!: string;
}

const activityPageResponse = ({ items, next }: ActivityPage): Promise<PreparedResponse> =>
  cursorResponse(items, next ? encodeCursor(next) : '', activityJson);

const LINES = 'application/x-ndjson';
/** Pages that a thread reads at the same time, of different callers. */
export const READ_TOGETHER = 2;

@ApiTags('activity')
@Controller()
export class ActivityController {
  readonly #pages = new RequestQueue('pages of history', READ_TOGETHER);

  constructor(
    private readonly queryBus: QueryBus,
    private readonly exports: ActivityExport,
  ) {}

  @Route('GET /api/me/activity', {
    id: 'listActivity',
    summary: "List what was done to the caller's account",
    description:
      'Returns the logins and changes of the account, its keys and its sessions, the newest first. Sessions and addresses ' +
      'of other people are left out. Logins whose sessions were deleted because of their age are missing.',
    guard: CallerGuard,
    scope: 'activity:read',
    query: [{ type: ActivityQuery }],
    answer: ActivityPageResponse,
    refusals: [...UNACCEPTED_QUERY, 'guest-has-no-history'],
  })
  async list(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    const input = checkedQueryOf(ActivityQuery, request);
    // Not only by the handler: the guests would wait for each other.
    refuseGuest(callerOf(request), 'guest-has-no-history');
    return this.#page(request, new ListOwnActivityQuery(callerOf(request), selectionOf(input), pagingOf(input)));
  }

  @Route('GET /api/admin/user/activity', {
    id: 'listUserActivity',
    summary: 'List what was done to an account',
    description:
      'Returns the logins and changes of an account, its keys and its sessions, the newest first. The history of a deleted ' +
      'account remains. Logins whose sessions were deleted because of their age are missing.',
    guard: AdminGuard,
    scope: 'accounts:audit',
    query: [{ type: AccountActivityQuery }],
    answer: ActivityPageResponse,
    refusals: [...UNACCEPTED_QUERY, 'account-not-found'],
  })
  async listOfAccount(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    const input = checkedQueryOf(AccountActivityQuery, request);
    const selection = { ...selectionOf(input), accountId: Number(input.id) };
    return this.#page(request, new ListAnyActivityQuery(selection, pagingOf(input)));
  }

  @Route('GET /api/admin/activity', {
    id: 'listAnyActivity',
    summary: 'List what was done to all accounts and settings',
    description:
      'Returns the history of all accounts and of the settings, the newest first. A request reads about 2,000 events: if ' +
      'few of them match, its page is short or empty, and `next_cursor` continues.',
    guard: AdminGuard,
    scope: 'accounts:audit',
    query: [{ type: AnyActivityQuery }],
    answer: ActivityPageResponse,
    refusals: UNACCEPTED_QUERY,
  })
  async listAny(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    const input = checkedQueryOf(AnyActivityQuery, request);
    return this.#page(request, new ListAnyActivityQuery(selectionOf(input), pagingOf(input)));
  }

  @Route('GET /api/admin/activity/export', {
    id: 'exportActivity',
    summary: 'Export what was done to all accounts and settings',
    description:
      'Sends the whole selection as JSON lines, the newest first, each as in `content` of the list. A failure breaks the ' +
      'transfer off: a file that was received completely is complete. It needs HTTP/1.1. A thread serves two exports at a ' +
      'time and answers further ones with 503.',
    guard: AdminGuard,
    scope: 'accounts:audit',
    query: [{ type: ActivityExportQuery }],
    answer: {
      description: 'One JSON object per line. A refusal is an envelope.',
      content: {
        [LINES]: { schema: { type: 'string' } },
        ...REFUSAL_CONTENT,
      },
    },
    refusals: UNACCEPTED_QUERY,
  })
  async export(@Req() request: KeyfoldRequest, @Res() reply: FastifyReply): Promise<void> {
    const selection = selectionOf(checkedQueryOf(ActivityExportQuery, request));
    // HTTP/1.0 marks the end of an answer like its failure, by closing the connection.
    if (request.raw.httpVersion === '1.0')
      throw new Fault(505, 'an export needs HTTP/1.1: for nginx, set proxy_http_version 1.1');
    const content =
      request.method === 'HEAD'
        ? ''
        : await this.exports.start(() => this.queryBus.execute(new ExportActivityQuery(selection)));
    reply.header('Content-Disposition', 'attachment; filename="activity.ndjson"').type(LINES).send(content);
  }

  /** Reads one page at a time for each account, because a page of a rare type reads 2,000 events. */
  #page(request: KeyfoldRequest, query: ListOwnActivityQuery | ListAnyActivityQuery): Promise<PreparedResponse> {
    const { accountId } = callerOf(request).account;
    return this.#pages.run(String(accountId), async () => activityPageResponse(await this.queryBus.execute(query)));
  }
}
