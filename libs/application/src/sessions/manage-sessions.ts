import { Command, CommandHandler, Query, QueryHandler, type ICommandHandler, type IQueryHandler } from '@nestjs/cqrs';
import { absentAccount, bytesOf, type Account, type Session } from '@keyfold/domain';
import { accountStream, PAGE_BYTES, ReadModelStore, sessions, type Loaded, type Page } from '@keyfold/projections';
import { contextOf, protectAdmins, type Administrator, type Caller } from '../caller/caller.js';
import { AccountCommand } from '../caller/caller-command.js';
import { TokenActivity } from '../caller/token-activity.js';
import { Clock } from '../commands/clock.js';
import { CommandRunner } from '../commands/command-runner.js';
import type { Origin } from '../origin.js';
import { listedSession, type ListedSession } from './account-sessions.js';
import { SessionEnding } from './session-ending.js';

/** Maximum number of entries on a page. */
export const PAGE_ENTRIES = 1_000;
/** In bytes of the answer. Each entry counts on a page with its texts, and with this for the rest. */
const ENTRY_BYTES = 300;

/** Lists the sessions of all accounts, or of one, that have neither ended nor expired, the latest login first. A page ends early if it is full. */
export class ListAnySessionsQuery extends Query<Page<ListedSession>> {
  constructor(
    readonly caller: Caller,
    readonly offset: number,
    readonly limit: number,
    readonly accountId?: number,
  ) {
    super();
  }
}

@QueryHandler(ListAnySessionsQuery)
export class ListAnySessionsHandler implements IQueryHandler<ListAnySessionsQuery> {
  constructor(
    private readonly readModels: ReadModelStore,
    private readonly activity: TokenActivity,
    private readonly clock: Clock,
  ) {}

  async execute({ caller, offset, limit, accountId }: ListAnySessionsQuery): Promise<Page<ListedSession>> {
    const unexpired = {
      after: Math.floor(this.clock.now() / 1000),
      ...(accountId !== undefined && { partition: String(accountId) }),
    };
    const most = Math.min(limit, PAGE_ENTRIES);
    const { items, total } = await this.readModels.listUnexpired(sessions, unexpired, offset, most);
    const [accounts, lastUses] = await Promise.all([this.#accountsOf(items), this.activity.lastUses(items)]);
    const entries = items.map((session, index) =>
      listedSession(session, {
        account: accounts.get(session.accountId) ?? absentAccount,
        lastActive: lastUses[index]!,
        current: caller.sessionId,
      }),
    );
    return { items: firstPage(entries), total };
  }

  async #accountsOf(items: readonly Session[]): Promise<Map<number, Account>> {
    const refs = [...new Set(items.map(({ accountId }) => accountId))].map(accountStream);
    const documents = (await this.readModels.get(refs)) as Map<string, Loaded<Account>>;
    return new Map([...documents.values()].map(({ state }) => [state.accountId, state]));
  }
}

/** Returns the entries that fit on a page, at least one. */
function firstPage(entries: readonly ListedSession[]): readonly ListedSession[] {
  let bytes = 0;
  const end = entries.findIndex(({ username, session: { address, client } }, index) => {
    bytes += ENTRY_BYTES + bytesOf(username, address, client);
    return index > 0 && bytes > PAGE_BYTES;
  });
  return end === -1 ? entries : entries.slice(0, end);
}

/**
 * Evicts a session of any account on behalf of an administrator. Does nothing if it has ended. With `owner`, a session of another account
 * is refused.
 */
export class EndAnySessionCommand extends Command<void> {
  constructor(
    readonly caller: Administrator,
    readonly sessionId: string,
    readonly origin: Origin,
    readonly owner?: number,
  ) {
    super();
  }
}

@CommandHandler(EndAnySessionCommand)
export class EndAnySessionHandler implements ICommandHandler<EndAnySessionCommand> {
  constructor(private readonly ending: SessionEnding) {}

  async execute({ caller, sessionId, origin, owner }: EndAnySessionCommand): Promise<void> {
    await this.ending.evict(caller, sessionId, origin, owner);
  }
}

/** Evicts all sessions of an account on behalf of an administrator, in one commit. */
export class EvictAnySessionsCommand extends AccountCommand {}

@CommandHandler(EvictAnySessionsCommand)
export class EvictAnySessionsHandler implements ICommandHandler<EvictAnySessionsCommand> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ caller, accountId, origin }: EvictAnySessionsCommand): Promise<void> {
    await protectAdmins(caller, accountId, this.runner);
    await this.runner.run(accountStream(accountId), { type: 'EvictSessions', kept: null }, contextOf(caller, origin));
  }
}
