import { Controller, Get, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiQuery, ApiTags } from '@nestjs/swagger';
import { ExportActivityQuery, ListAnyActivityQuery } from '@keyfold/application';
import { Fault, type PreparedResponse } from '@keyfold/http-envelope';
import type { FastifyReply } from 'fastify';
import { ApiEnvelope, envelopeSchema } from '../openapi/api-envelope.decorator.js';
import { ApiRoute } from '../openapi/api-route.decorator.js';
import { UNACCEPTED_QUERY } from '../openapi/refusal-table.js';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { checkedQueryOf } from '../request/request-reading.js';
import { AdminGuard } from '../session/caller.guard.js';
import { GuardedBy } from '../session/guarded-by.decorator.js';
import { TakesAccessToken } from '../session/takes-access-token.decorator.js';
import { ActivityExport } from './activity-export.js';
import {
  AccountActivityQuery,
  ActivityExportQuery,
  AnyActivityQuery,
  pagingOf,
  selectionOf,
} from './activity.requests.js';
import { activityPageResponse, ActivityPageResponse } from './activity.responses.js';

const LINES = 'application/x-ndjson';

@ApiTags('activity')
@Controller('api/admin')
@GuardedBy(AdminGuard)
export class ActivityAdministrationController {
  constructor(
    private readonly queryBus: QueryBus,
    private readonly exports: ActivityExport,
  ) {}

  @Get('user/activity')
  @TakesAccessToken('accounts:read')
  @ApiRoute({
    id: 'listUserActivity',
    summary: 'List what was done to an account',
    description:
      'Returns the logins and changes of an account, its keys and its sessions, the newest first. The history of a deleted ' +
      'account remains. Logins whose sessions were deleted because of their age are missing.',
    refusals: [...UNACCEPTED_QUERY, 'account-not-found'],
  })
  @ApiQuery({ type: AccountActivityQuery })
  @ApiEnvelope({ model: ActivityPageResponse })
  async listOfAccount(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    const input = checkedQueryOf(AccountActivityQuery, request);
    const selection = { ...selectionOf(input), accountId: Number(input.id) };
    return activityPageResponse(await this.queryBus.execute(new ListAnyActivityQuery(selection, pagingOf(input))));
  }

  @Get('activity')
  @TakesAccessToken('accounts:read')
  @ApiRoute({
    id: 'listAnyActivity',
    summary: 'List what was done to all accounts and settings',
    description:
      'Returns the history of all accounts and of the settings, the newest first. A request reads about 2,000 events: if ' +
      'few of them match, its page is short or empty, and `next_cursor` continues.',
    refusals: UNACCEPTED_QUERY,
  })
  @ApiQuery({ type: AnyActivityQuery })
  @ApiEnvelope({ model: ActivityPageResponse })
  async list(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    const input = checkedQueryOf(AnyActivityQuery, request);
    const query = new ListAnyActivityQuery(selectionOf(input), pagingOf(input));
    return activityPageResponse(await this.queryBus.execute(query));
  }

  @Get('activity/export')
  @TakesAccessToken('accounts:read')
  @ApiRoute({
    id: 'exportActivity',
    summary: 'Export what was done to all accounts and settings',
    description:
      'Sends the whole selection as JSON lines, the newest first, each as in `content` of the list. A failure breaks the ' +
      'transfer off: a file that was received completely is complete. It needs HTTP/1.1. A thread serves two exports at a ' +
      'time and answers further ones with 503.',
    refusals: UNACCEPTED_QUERY,
  })
  @ApiQuery({ type: ActivityExportQuery })
  @ApiOkResponse({
    description: 'One JSON object per line. A refusal is an envelope.',
    content: {
      [LINES]: { schema: { type: 'string' } },
      'application/json': { schema: envelopeSchema({ type: 'null' }) },
    },
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
}
