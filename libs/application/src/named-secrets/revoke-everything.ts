import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '@keyfold/domain';
import { accountStream } from '@keyfold/projections';
import { contextOf, proofOf, protectAdmins, refuseGuest } from '../caller/caller.js';
import { AccountCommand, CallerCommand } from '../caller/caller-command.js';
import { CommandRunner } from '../commands/command-runner.js';
import { SecretRevocation } from './secret-revocation.js';

/** Ends all sessions of the caller, the current one included, and revokes all access tokens and app passwords. */
export class RevokeOwnEverythingCommand extends CallerCommand {}

/** @throws `guest-has-no-sessions` or `revocation-session-required`; `token-invalidated`, `password-changed` or `account-disabled` */
@CommandHandler(RevokeOwnEverythingCommand)
export class RevokeOwnEverythingHandler implements ICommandHandler<RevokeOwnEverythingCommand> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly revocation: SecretRevocation,
  ) {}

  async execute({ caller, origin }: RevokeOwnEverythingCommand): Promise<void> {
    refuseGuest(caller, 'guest-has-no-sessions');
    if (caller.by !== 'session') throw new DomainError('revocation-session-required');
    const { accountId } = caller.account;
    const evict = { type: 'EvictSessions', ...proofOf(caller), kept: null } as const;
    await this.revocation.after(accountId, contextOf(caller, origin), (context) =>
      this.runner.run(accountStream(accountId), evict, context),
    );
  }
}

/** Does the same to any account on behalf of an administrator. */
export class RevokeEverythingCommand extends AccountCommand {}

/** @throws `admin-unchangeable-by-token` or `account-not-found` */
@CommandHandler(RevokeEverythingCommand)
export class RevokeEverythingHandler implements ICommandHandler<RevokeEverythingCommand> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly revocation: SecretRevocation,
  ) {}

  async execute({ caller, accountId, origin }: RevokeEverythingCommand): Promise<void> {
    await protectAdmins(caller, accountId, this.runner);
    await this.revocation.after(accountId, contextOf(caller, origin), (context) =>
      this.runner.run(accountStream(accountId), { type: 'EvictSessions', kept: null }, context),
    );
  }
}
