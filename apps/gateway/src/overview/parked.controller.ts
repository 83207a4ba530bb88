import { Controller, Inject, Req } from '@nestjs/common';
import { ApiProperty, ApiTags } from '@nestjs/swagger';
import { isoTime } from '@keyfold/application';
import { DomainError } from '@keyfold/domain';
import { Projection, streamRef } from '@keyfold/projections';
import { STORE_ADAPTERS, type StoreAdapters } from '@keyfold/wiring';
import { IsIn, IsOptional, IsString, Length, Matches } from 'class-validator';
import { UNACCEPTED_BODY, UNACCEPTED_QUERY } from '../openapi/refusal-table.js';
import { AdminGuard } from '../request/caller.guard.js';
import { callerOf, checkedBodyOf, checkedQueryOf, type KeyfoldRequest } from '../request/request-reading.js';
import { RequestQueue } from '../request/request-queue.js';
import { Route } from '../request/route.decorator.js';
import { MOST_MESSAGES, ProcessState } from '../threads/process-state.js';
import { feedReaders, STORED_KINDS, type StoredKind } from './feed-readers.js';

const KINDS = [...STORED_KINDS, 'message'] as const;
type Kind = (typeof KINDS)[number];
const KIND = {
  enum: [...KINDS],
  description:
    '`projection`: a stream that cannot be folded. `event`: an account whose next event cannot be published. `openlist`: an ' +
    'account that OpenList cannot mirror. `message`: a command of another service that failed.',
};
const DEFAULT_SIZE = 50;
const MOST = 100;
/** Characters of a reason that are shown. */
const REASON_LENGTH = 1_000;
const ID_LENGTH = 255;

class ParkedQuery {
  @ApiProperty({ required: false, ...KIND })
  @IsOptional()
  @IsIn(KINDS)
  kind?: Kind = undefined;

  @ApiProperty({ required: false, type: 'integer', minimum: 1, default: 1, description: 'The number of the page.' })
  @IsOptional()
  @Matches(/^[1-9]\d{0,6}$/, { message: '$property must be an integer from 1 to 9999999' })
  page?: string = undefined;

  @ApiProperty({
    required: false,
    type: 'integer',
    minimum: 1,
    maximum: MOST,
    default: DEFAULT_SIZE,
    description: 'The size of a page.',
  })
  @IsOptional()
  @Matches(/^([1-9]\d?|100)$/, { message: `$property must be an integer from 1 to ${MOST}` })
  per_page?: string = undefined;
}

class RetryRequest {
  @ApiProperty(KIND) @IsIn(KINDS) kind: Kind = 'projection';
  @ApiProperty({ description: 'The `id` in the list.', minLength: 1, maxLength: ID_LENGTH })
  @IsString()
  @Length(1, ID_LENGTH)
  id: string = '';
}

class ParkedResponse {
  @ApiProperty(KIND) kind!: Kind;
  @ApiProperty({ description: 'The name of the stream, the id of the account or the id of the message.' }) id!: string;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Null if it belongs to no account, or to a message.' })
  account_id!: number | null;
  @ApiProperty({ type: 'string', format: 'date-time', nullable: true, description: 'Null if it is unknown.' })
  since!: string | null;
  @ApiProperty({ description: 'Why it is parked.' }) error!: string;
}

class ParkedPageResponse {
  @ApiProperty({ type: [ParkedResponse] }) content!: ParkedResponse[];
  @ApiProperty({ type: 'integer' }) total!: number;
  @ApiProperty({
    description: `Whether messages are among them, at most ${MOST_MESSAGES}. Only a process with RabbitMQ knows them.`,
  })
  includes_messages!: boolean;
}

/** Some of what is parked of a kind, and the number of all. */
type ParkedSlice = Readonly<{ items: readonly ParkedResponse[]; total: number }>;

class RetriedResponse {
  @ApiProperty({ description: 'Whether it was still parked.' }) parked!: boolean;
}

@ApiTags('administration')
@Controller()
export class ParkedController {
  readonly #requests = new RequestQueue('requests for what is parked');

  constructor(
    @Inject(STORE_ADAPTERS) private readonly stores: StoreAdapters,
    private readonly projection: Projection,
    private readonly state: ProcessState,
  ) {}

  @Route('GET /api/admin/parked', {
    id: 'listParked',
    summary: 'List what waits until somebody acts',
    description:
      'Returns what cannot be projected, published, carried to OpenList or handled, by kind, and the oldest of each kind ' +
      'first. `total` counts all, also those of other pages. Messages are included if the answering process has RabbitMQ.',
    guard: AdminGuard,
    scope: 'accounts:audit',
    query: [{ type: ParkedQuery }],
    answer: ParkedPageResponse,
    refusals: UNACCEPTED_QUERY,
  })
  async list(@Req() request: KeyfoldRequest): Promise<ParkedPageResponse> {
    const { kind, page = '1', per_page: size = String(DEFAULT_SIZE) } = checkedQueryOf(ParkedQuery, request);
    return this.#inTurn(request, async () => {
      const kinds = kind === undefined ? KINDS : [kind];
      const first = (Number(page) - 1) * Number(size);
      const content: ParkedResponse[] = [];
      let [total, areMessagesKnown] = [0, kinds.includes('message')];
      for (const each of kinds) {
        const [offset, limit] = [Math.max(0, first - total), Number(size) - content.length];
        const found = await (each === 'message' ? this.#messages(offset, limit) : this.#stored(each, offset, limit));
        content.push(...(found?.items ?? []));
        total += found?.total ?? 0;
        areMessagesKnown &&= found !== undefined;
      }
      return { content, total, includes_messages: areMessagesKnown };
    });
  }

  @Route('POST /api/admin/parked/retry', {
    id: 'retryParked',
    summary: 'Retry something that is parked',
    description:
      'Retries a stream or resends a message at once. An account is retried within seconds by the process that publishes its ' +
      'events or carries it to OpenList. Whatever fails again stays in the list, with the new reason.',
    guard: AdminGuard,
    body: RetryRequest,
    answer: RetriedResponse,
    refusals: [...UNACCEPTED_BODY, 'parked-messages-elsewhere'],
  })
  async retry(@Req() request: KeyfoldRequest): Promise<RetriedResponse> {
    const { kind, id } = checkedBodyOf(RetryRequest, request);
    return this.#inTurn(request, async () => ({ parked: await this.#retry(kind, id) }));
  }

  async #retry(kind: Kind, id: string): Promise<boolean> {
    const { parkedRelays, parkedMirrors } = this.stores;
    if (kind === 'event') return parkedRelays.requestRetry(id);
    if (kind === 'openlist') return parkedMirrors.requestRetry(id);
    if (kind === 'projection') return (await this.projection.retryParked(streamRef, id)) > 0;
    const isFound = await this.state.retryMessage(id);
    if (isFound === undefined) throw new DomainError('parked-messages-elsewhere');
    return isFound;
  }

  async #stored(kind: StoredKind, offset: number, limit: number): Promise<ParkedSlice> {
    const { parked } = feedReaders(this.stores).find((reader) => reader.kind === kind)!;
    const { items, total } = await parked(offset, limit);
    const shown = items.map(({ id, partition, at, error }) => ({
      kind,
      id,
      account_id: /^\d+$/.test(partition) ? Number(partition) : null,
      since: isoTime(at),
      error: error.slice(0, REASON_LENGTH),
    }));
    return { items: shown, total };
  }

  async #messages(offset: number, limit: number): Promise<ParkedSlice | undefined> {
    const messages = await this.state.parkedMessages();
    if (!messages) return undefined;
    const shown = messages.slice(offset, offset + limit).map(({ id, type, errorCode, firstFailedAt }) => ({
      kind: 'message' as const,
      id,
      account_id: null,
      since: firstFailedAt ?? null,
      error: `${type}: ${errorCode}`,
    }));
    return { items: shown, total: messages.length };
  }

  #inTurn<Result>(request: KeyfoldRequest, task: () => Promise<Result>): Promise<Result> {
    return this.#requests.run(String(callerOf(request).account.accountId), task);
  }
}
