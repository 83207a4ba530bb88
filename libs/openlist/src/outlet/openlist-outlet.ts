import { accountAggregate, sshKeyRingAggregate } from '@keyfold/domain';
import { isOutage, isRetryable, LeaseLost, type Commit } from '@keyfold/event-store';
import { openlistRelayName, Outlet, Undeliverable, type Deliver, type Delivered } from '@keyfold/messaging';
import { UnfoldableStream } from '@keyfold/projections';
import pLimit from 'p-limit';
import type { Availability } from '../api/availability.js';
import { MirrorBlocked, OpenListRefused, OpenListUnavailable } from '../api/openlist.errors.js';
import type { OpenListMirror } from '../mirror/openlist-mirror.js';

/** Milliseconds. Changes of an account within it are carried together. */
const READ_INTERVAL = 100;
/** Accounts that are carried at once, so that forwarded requests need not wait for many of them. */
const PARALLEL_CARRIES = 4;
/** An account that fails this often in a row while OpenList answers is parked, so that it does not hold back the checkpoint. */
const MAX_FAILURES = 5;
const UNAUTHORIZED = 401;

/** Carries accounts and their SSH keys to OpenList when they change. */
export class OpenListOutlet extends Outlet {
  override readonly name = openlistRelayName;
  override readonly readInterval = READ_INTERVAL;
  override readonly carriesState = true;
  /** Another process would wait for OpenList as well. */
  override readonly isStalled = false;
  /** Accounts that were brought up to date, since the process started. */
  carried = 0;
  #problem: string | undefined;
  readonly #parallel = pLimit(PARALLEL_CARRIES);
  /** Accounts that failed while OpenList answered, and how often in a row. */
  readonly #failures = new Map<number, number>();

  constructor(
    private readonly mirror: Pick<OpenListMirror, 'carry'>,
    private readonly availability: Pick<Availability, 'isAvailable' | 'onChange'>,
  ) {
    super();
  }

  override get isReady(): boolean {
    return this.availability.isAvailable;
  }

  override get problem(): string | undefined {
    return this.#problem;
  }

  override onReady(listener: () => void): () => void {
    return this.availability.onChange((isAvailable) => {
      if (isAvailable) listener();
    });
  }

  override deliveriesOf({ stream }: Commit): readonly Deliver[] {
    const accountId = accountIdOf(stream);
    return accountId === undefined ? [] : [(held) => this.#parallel(() => this.#carry(accountId, held))];
  }

  async #carry(accountId: number, held: () => boolean): Promise<Delivered> {
    if (!held() || !this.isReady) return 'unavailable';
    try {
      await this.mirror.carry(accountId);
    } catch (error) {
      return this.#outcomeOf(error, accountId);
    }
    this.#failures.delete(accountId);
    this.carried += 1;
    this.#problem = undefined;
    return 'delivered';
  }

  #outcomeOf(error: unknown, accountId: number): Delivered {
    if (error instanceof OpenListUnavailable) {
      this.#problem = error.message;
      if (!this.isReady) return 'unavailable';
      return this.#failsAlone(error, accountId) ? new Undeliverable(REPEATED_FAILURE) : 'refused';
    }
    this.#failures.delete(accountId);
    if (isOutage(error)) throw error;
    if (isRetryable(error) || error instanceof LeaseLost) return 'refused';
    return new Undeliverable(reasonToPark(error));
  }

  /** Counts a failure while OpenList answers, which may concern this account alone. Returns whether there were too many. */
  #failsAlone({ cause }: OpenListUnavailable, accountId: number): boolean {
    // A refused static token concerns all accounts, which would all be parked.
    if (cause instanceof OpenListRefused && cause.code === UNAUTHORIZED) return false;
    const failures = Math.min((this.#failures.get(accountId) ?? 0) + 1, MAX_FAILURES);
    this.#failures.set(accountId, failures);
    return failures === MAX_FAILURES;
  }
}

const REPEATED_FAILURE = `OpenList answers, but failed ${MAX_FAILURES} times in a row for this account. Its log says why`;

/** Returns the account of a stream that OpenList mirrors; undefined for every other stream. */
function accountIdOf(stream: string): number | undefined {
  const found = [accountAggregate, sshKeyRingAggregate].find(({ streamPrefix }) => stream.startsWith(streamPrefix));
  return found && Number(stream.slice(found.streamPrefix.length));
}

/** Returns a reason without names. The texts of other errors may contain any data. */
function reasonToPark(error: unknown): string {
  if (error instanceof MirrorBlocked || error instanceof UnfoldableStream) return error.message;
  return `unexpected error: ${error instanceof Error ? error.name : typeof error}`;
}
