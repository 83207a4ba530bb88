import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '@keyfold/domain';
import { accountStream, StreamLoader } from '@keyfold/projections';
import { LoginThrottle } from '@keyfold/security';
import { actorOf, type Administrator } from '../caller/caller.js';
import { CommandRunner } from '../command-runner.js';
import { codeAccountKey } from '../login/code-check.js';
import type { Origin } from '../origin.js';
import { nameHash } from '../user-names.js';

/** The locks that were lifted: whether codes were locked, and how many keys of the throttle were blocked. */
export type LiftedLocks = Readonly<{ code: boolean; blocks: number }>;

/**
 * Lifts the lock of an account's one-time code and the throttle's blocks of this account, and forgets its failures. The limits of a source
 * or network for all accounts stay.
 */
export class UnlockAccountCommand extends Command<LiftedLocks> {
  constructor(
    readonly caller: Administrator,
    readonly accountId: number,
    readonly origin: Origin,
  ) {
    super();
  }
}

/** @throws `account-not-found`. */
@CommandHandler(UnlockAccountCommand)
export class UnlockAccountHandler implements ICommandHandler<UnlockAccountCommand> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly loader: StreamLoader,
    private readonly throttle: LoginThrottle,
  ) {}

  async execute({ caller, accountId, origin }: UnlockAccountCommand): Promise<LiftedLocks> {
    const ref = accountStream(accountId);
    const [{ state: account }] = await this.loader.load(ref);
    if (account.status !== 'active') throw new DomainError('account-not-found');
    // The counters go first: with them, the next wrong code would lock the account again.
    const passwords = await this.throttle.unblock('password', nameHash(account.username));
    const codes = account.twoFactor ? await this.throttle.unblock('one-time-code', codeAccountKey(account)) : 0;
    await this.runner.run(ref, { type: 'UnlockTwoFactor' }, { actor: actorOf(caller), ...origin });
    return { code: account.twoFactor?.locked ?? false, blocks: passwords + codes };
  }
}
