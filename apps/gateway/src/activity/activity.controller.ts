import { Controller, Get, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiQuery, ApiTags } from '@nestjs/swagger';
import { ListOwnActivityQuery } from '@keyfold/application';
import type { PreparedResponse } from '@keyfold/http-envelope';
import { ApiEnvelope } from '../openapi/api-envelope.decorator.js';
import { ApiRoute } from '../openapi/api-route.decorator.js';
import { UNACCEPTED_QUERY } from '../openapi/refusal-table.js';
import type { KeyfoldRequest } from '../request/keyfold-request.js';
import { callerOf, checkedQueryOf } from '../request/request-reading.js';
import { CallerGuard } from '../session/caller.guard.js';
import { GuardedBy } from '../session/guarded-by.decorator.js';
import { TakesAccessToken } from '../session/takes-access-token.decorator.js';
import { ActivityQuery, pagingOf, selectionOf } from './activity.requests.js';
import { activityPageResponse, ActivityPageResponse } from './activity.responses.js';

@ApiTags('activity')
@Controller('api/me/activity')
@GuardedBy(CallerGuard)
export class ActivityController {
  constructor(private readonly queryBus: QueryBus) {}

  @Get()
  @TakesAccessToken('profile:read')
  @ApiRoute({
    id: 'listActivity',
    summary: "List what was done to the caller's account",
    description:
      'Returns the logins and changes of the account, its keys and its sessions, the newest first. Sessions and addresses ' +
      'of other people are left out. Logins whose sessions were deleted because of their age are missing.',
    refusals: [...UNACCEPTED_QUERY, 'guest-has-no-history'],
  })
  @ApiQuery({ type: ActivityQuery })
  @ApiEnvelope({ model: ActivityPageResponse })
  async list(@Req() request: KeyfoldRequest): Promise<PreparedResponse> {
    const input = checkedQueryOf(ActivityQuery, request);
    const query = new ListOwnActivityQuery(callerOf(request), selectionOf(input), pagingOf(input));
    return activityPageResponse(await this.queryBus.execute(query));
  }
}
