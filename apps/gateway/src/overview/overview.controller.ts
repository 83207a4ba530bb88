import { Controller, Inject, Req } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { RecentLogins, startOfHour } from '@keyfold/application';
import { slotStatuses, totalOfSlots } from '@keyfold/event-store';
import { openlistRelayName } from '@keyfold/messaging';
import { serviceVersion } from '@keyfold/process';
import { STORE_ADAPTERS, type StoreAdapters } from '@keyfold/wiring';
import { AdminGuard } from '../request/caller.guard.js';
import { callerOf, type KeyfoldRequest } from '../request/request-reading.js';
import { RequestQueue } from '../request/request-queue.js';
import { Route } from '../request/route.decorator.js';
import { ProcessState } from '../threads/process-state.js';
import { feedReaders, OPENLIST_URL } from './feed-readers.js';

const STATES = ['up', 'warning', 'down'];

class PartResponse {
  @ApiProperty({ description: 'For example `store`, `projector`, `openlist` or `rabbitmq`. More values may be added.' })
  name!: string;
  @ApiProperty({ enum: STATES }) state!: string;
  @ApiProperty({ description: 'The warning or the problem. Empty if the part is up.' }) detail!: string;
}

class ReaderResponse {
  @ApiProperty({
    description:
      '`projector` (fills the lists), `relay` (publishes events) or `openlist` (carries accounts there). More values may be added.',
  })
  name!: string;
  @ApiProperty({ type: 'integer', description: 'The number of commits that it has not read.' }) lag!: number;
  @ApiProperty({ type: 'integer', description: 'The number of streams or accounts that wait until somebody acts.' })
  parked!: number;
}

class LoginHourResponse {
  @ApiProperty({ format: 'date-time', description: 'The start of the hour, in UTC.' }) hour!: string;
  @ApiProperty({ type: 'integer' }) accepted!: number;
  @ApiProperty({ type: 'integer', description: 'Wrong passwords and codes, and throttled logins.' }) refused!: number;
}

class OpenListResponse {
  @ApiProperty({ enum: STATES }) state!: string;
  @ApiProperty() url!: string;
  @ApiProperty({ type: 'integer', description: 'The number of commits that are not carried there yet.' })
  pending!: number;
  @ApiProperty({ type: 'integer', description: 'The number of accounts that it cannot mirror until somebody acts.' })
  parked!: number;
}

@ApiExtraModels(OpenListResponse)
class OverviewResponse {
  @ApiProperty() version!: string;
  @ApiProperty({ enum: ['sqlite', 'mongodb'] }) store!: string;
  @ApiProperty({ type: [PartResponse], description: 'The parts of the process that answers.' }) parts!: PartResponse[];
  @ApiProperty({ type: [ReaderResponse], description: 'The readers of the feed, in whatever process they run.' })
  readers!: ReaderResponse[];
  @ApiProperty({ type: [LoginHourResponse], description: 'The last 24 hours of all processes, the oldest first.' })
  logins!: LoginHourResponse[];
  @ApiProperty({
    oneOf: [{ $ref: getSchemaPath(OpenListResponse) }, { type: 'null' }],
    description: 'Null if no OpenList is behind the gateway.',
  })
  openlist!: OpenListResponse | null;
}

@ApiTags('administration')
@Controller()
export class OverviewController {
  readonly #requests = new RequestQueue('overviews');

  constructor(
    @Inject(STORE_ADAPTERS) private readonly stores: StoreAdapters,
    private readonly logins: RecentLogins,
    private readonly state: ProcessState,
    @Inject(OPENLIST_URL) private readonly openlistUrl: string | undefined,
  ) {}

  @Route('GET /api/admin/overview', {
    id: 'getOverview',
    summary: 'Show what is going on',
    description:
      'Returns the health of the process that answers and of what it depends on, the lag of the readers of the feed, and ' +
      'the logins of the last 24 hours. Logins of the last seconds may be missing.',
    guard: AdminGuard,
    scope: 'accounts:audit',
    answer: OverviewResponse,
    refusals: [],
  })
  overview(@Req() request: KeyfoldRequest): Promise<OverviewResponse> {
    return this.#requests.run(String(callerOf(request).account.accountId), () => this.#overview());
  }

  async #overview(): Promise<OverviewResponse> {
    const [parts, readers, logins] = await Promise.all([this.state.parts(), this.#readers(), this.logins.lastDay()]);
    return {
      version: serviceVersion,
      store: this.stores.kind,
      parts: parts.map(({ name, state, detail }) => ({ name, state, detail })),
      readers,
      logins: logins.map(({ hour, accepted, refused }) => ({ hour: startOfHour(hour), accepted, refused })),
      openlist: this.#openlist(parts, readers),
    };
  }

  /** Returns the readers that have ever run on this store. */
  async #readers(): Promise<ReaderResponse[]> {
    const readers = feedReaders(this.stores).map(async ({ name, checkpoints, leases, parked }) => {
      if ((await leases.progress(checkpoints)).length === 0) return [];
      const [slots, { total }] = await Promise.all([slotStatuses(this.stores.feed, leases, checkpoints), parked(0, 0)]);
      return [{ name, lag: totalOfSlots(slots).lag, parked: total }];
    });
    return (await Promise.all(readers)).flat();
  }

  #openlist(parts: readonly PartResponse[], readers: readonly ReaderResponse[]): OpenListResponse | null {
    if (this.openlistUrl === undefined) return null;
    const { state } = parts.find(({ name }) => name === 'openlist') ?? { state: 'down' };
    const { lag: pending, parked } = readers.find(({ name }) => name === openlistRelayName) ?? { lag: 0, parked: 0 };
    return { state, url: this.openlistUrl, pending, parked };
  }
}
