import { Controller, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiProperty, ApiTags } from '@nestjs/swagger';
import {
  EndAnySessionCommand,
  EndOwnSessionCommand,
  EvictAnySessionsCommand,
  EvictOwnSessionsCommand,
  ListAnySessionsQuery,
  ListOwnSessionsQuery,
  type ListedSession,
} from '@keyfold/application';
import { atoi, GoStruct, offsetOf, parsePaging, type PreparedResponse } from '@keyfold/http-envelope';
import { arrayResponse, listResponse } from '../http/list-response.js';
import { UNREADABLE_BODY } from '../openapi/refusal-table.js';
import { AdminGuard, CallerGuard } from '../request/caller.guard.js';
import { ApiFlag, ApiText, ApiWhole } from '../request/documented-fields.js';
import { IdempotentCommands } from '../request/idempotent-commands.js';
import { bodyOf, callerOf, queryOf, type KeyfoldRequest } from '../request/request-reading.js';
import { PAGING, Route } from '../request/route.decorator.js';

@GoStruct('EvictSessionReq')
class EvictOwnRequest {
  @ApiText('SessionID', { description: 'The session to end; it may be the current one.' }) sessionId = '';
  @ApiFlag('Others', { description: 'If true, every session but the current one ends, whatever `session_id` is.' })
  others = false;
}

@GoStruct('EvictSessionReq')
class EvictAnyRequest {
  @ApiText('SessionID', { description: 'The session to end.' }) sessionId = '';
  @ApiWhole('UserID', 'uint64', {
    description: 'If set, every session of this account ends, whatever `session_id` is.',
  })
  userId = 0;
}

/** A session in the list of its owner. The first fields are AList's, in its order (wire contract 3.4). Times are in unix seconds. */
class SessionResponse {
  @ApiProperty() session_id!: string;
  @ApiProperty({ type: 'integer' }) user_id!: number;
  @ApiProperty({ type: 'integer', description: 'When the session was last used, to within some minutes.' })
  last_active!: number;
  @ApiProperty({ type: 'integer', description: '0: works, 1: is refused, because its account was changed.' })
  status!: number;
  @ApiProperty({ description: 'The user agent that logged in.' }) ua!: string;
  @ApiProperty({ description: 'The address that logged in.' }) ip!: string;
  @ApiProperty({ type: 'integer' }) started!: number;
  @ApiProperty({ type: 'integer' }) expires!: number;
  @ApiProperty({ description: "Whether this is the caller's session." }) current!: boolean;
  @ApiProperty({ type: [String], description: 'The verified factors. More values may be added.' }) factors!: string[];
}

class AnySessionResponse extends SessionResponse {
  @ApiProperty({ description: 'Empty if the account was deleted.' }) username!: string;
}

class SessionPageResponse {
  @ApiProperty({ type: [AnySessionResponse] }) content!: AnySessionResponse[];
  @ApiProperty({ type: 'integer' }) total!: number;
}

const [WORKS, IS_REFUSED] = [0, 1];

function sessionResponse({ session, lastActive, works, isCurrent }: ListedSession): SessionResponse {
  return {
    session_id: session.sessionId,
    user_id: session.accountId,
    last_active: lastActive,
    status: works ? WORKS : IS_REFUSED,
    ua: session.client,
    ip: session.address,
    started: session.startedAt,
    expires: session.expiresAt,
    current: isCurrent,
    factors: [...session.factors],
  };
}

function anySessionResponse(listed: ListedSession): AnySessionResponse {
  const { session_id, user_id, ...rest } = sessionResponse(listed);
  return { session_id, user_id, username: listed.username, ...rest };
}

@ApiTags('sessions')
@Controller()
export class SessionController {
  constructor(
    private readonly commands: IdempotentCommands,
    private readonly queryBus: QueryBus,
  ) {}

  @Route('GET /api/me/sessions', {
    id: 'listSessions',
    summary: "List the caller's sessions",
    description: 'Returns the sessions that have not ended or expired, the latest login first.',
    guard: CallerGuard,
    answer: [SessionResponse],
    refusals: ['guest-has-no-sessions'],
  })
  async list(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    return arrayResponse(await this.queryBus.execute(new ListOwnSessionsQuery(callerOf(request))), sessionResponse);
  }

  @Route('POST /api/me/sessions/evict', {
    id: 'evictSessions',
    summary: 'End one session or all others',
    description: "Ends one of the caller's sessions, or all but the current one. Their tokens are refused at once.",
    guard: CallerGuard,
    body: EvictOwnRequest,
    answer: null,
    refusals: [...UNREADABLE_BODY, 'guest-has-no-sessions', 'session-not-found'],
    idempotent: true,
  })
  async evict(@Req() request: KeyfoldRequest): Promise<null> {
    const { sessionId, others } = bodyOf(EvictOwnRequest, request);
    return this.commands.run(request, (caller, origin) =>
      others ? new EvictOwnSessionsCommand(caller, origin) : new EndOwnSessionCommand(caller, sessionId, origin),
    );
  }

  @Route('GET /api/admin/session/list', {
    id: 'listAnySessions',
    summary: 'List the sessions of all accounts',
    description: 'Returns the sessions that have not ended or expired, the latest login first. For administrators.',
    guard: AdminGuard,
    scope: 'accounts:audit',
    query: [
      ...PAGING,
      {
        name: 'user_id',
        required: false,
        schema: { type: 'integer' },
        description: 'Lists the sessions of this account only.',
      },
    ],
    answer: SessionPageResponse,
    refusals: ['query-too-long', 'list-query-malformed', 'page-invalid', 'account-id-invalid'],
  })
  async listAny(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    const sent = queryOf(request);
    const paging = parsePaging(sent);
    const userId = sent.get('user_id') ?? '';
    const accountId = userId === '' ? undefined : atoi(userId);
    const query = new ListAnySessionsQuery(callerOf(request), offsetOf(paging), paging.perPage, accountId);
    const { items, total } = await this.queryBus.execute(query);
    return listResponse(items, total, anySessionResponse);
  }

  @Route('POST /api/admin/session/evict', {
    id: 'evictAnySessions',
    summary: 'End sessions of an account',
    description:
      'Ends one session, or all sessions of an account. Their tokens are refused at once. For administrators.',
    guard: AdminGuard,
    scope: 'accounts:manage',
    body: EvictAnyRequest,
    answer: null,
    refusals: [...UNREADABLE_BODY, 'session-not-found', 'admin-unchangeable-by-token', 'account-not-found'],
    idempotent: true,
  })
  async evictAny(@Req() request: KeyfoldRequest): Promise<null> {
    const { sessionId, userId } = bodyOf(EvictAnyRequest, request);
    return this.commands.run(request, (caller, origin) =>
      userId === 0
        ? new EndAnySessionCommand(caller, sessionId, origin)
        : new EvictAnySessionsCommand(caller, userId, origin),
    );
  }
}
