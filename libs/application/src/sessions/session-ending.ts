import { Injectable } from '@nestjs/common';
import { DomainError } from '@keyfold/domain';
import { sessionStream, StreamLoader } from '@keyfold/projections';
import { contextOf, protectAdmins, type Administrator } from '../caller/caller.js';
import { CommandRunner } from '../commands/command-runner.js';
import type { Origin } from '../origin.js';

/** Session ids are UUIDs. No other text is looked up. */
const SESSION_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
/** Reading a session does not need the account, which follows from its state. */
const UNKNOWN_ACCOUNT = 0;

/** Ends sessions that are known by their id only. */
@Injectable()
export class SessionEnding {
  constructor(
    private readonly loader: StreamLoader,
    private readonly runner: CommandRunner,
  ) {}

  /** Evicts a session. Throws `session-not-found` if there is none, or if it belongs to another account than `owner`. */
  async evict(caller: Administrator, sessionId: string, origin: Origin, owner?: number): Promise<void> {
    const accountId = SESSION_ID.test(sessionId) ? await this.#accountOf(sessionId) : undefined;
    if (accountId === undefined || (owner ?? accountId) !== accountId) throw new DomainError('session-not-found');
    await protectAdmins(caller, accountId, this.runner);
    await this.runner.run(
      sessionStream(sessionId, accountId),
      { type: 'EndSession', reason: 'evicted' },
      contextOf(caller, origin),
    );
  }

  async #accountOf(sessionId: string): Promise<number | undefined> {
    const [{ state }] = await this.loader.load(sessionStream(sessionId, UNKNOWN_ACCOUNT));
    return state.status === 'absent' ? undefined : state.accountId;
  }
}
