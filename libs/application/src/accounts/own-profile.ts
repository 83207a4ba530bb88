import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { NameRules } from '@keyfold/domain';
import { accountStream } from '@keyfold/projections';
import { contextOf, proofOf, refuseGuest, type Caller } from '../caller/caller.js';
import { Clock } from '../commands/clock.js';
import { CommandRunner } from '../commands/command-runner.js';
import type { Origin } from '../origin.js';
import { UserNames } from '../login/user-names.js';
import { NewPasswords } from './new-passwords.js';

/** Changes the caller's own name, password and SSO id. An empty password keeps the old one. */
export class ChangeOwnProfileCommand extends Command<void> {
  constructor(
    readonly caller: Caller,
    readonly profile: Readonly<{ username: string; password: string; ssoId: string }>,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(ChangeOwnProfileCommand)
export class ChangeOwnProfileHandler implements ICommandHandler<ChangeOwnProfileCommand> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly names: UserNames,
    private readonly passwords: NewPasswords,
    private readonly nameRules: NameRules,
    private readonly clock: Clock,
  ) {}

  async execute({ caller, profile, origin }: ChangeOwnProfileCommand): Promise<void> {
    refuseGuest(caller, 'guest-has-no-profile');
    const { accountId } = caller.account;
    const wanted = {
      type: 'ChangeOwnProfile',
      ...proofOf(caller),
      name: await this.names.claim(profile.username),
      nameRules: this.nameRules,
      ssoId: profile.ssoId,
      now: this.clock.now(),
    } as const;
    const context = contextOf(caller, origin);
    const ref = accountStream(accountId);
    if (profile.password !== '') await this.runner.require(ref, wanted);
    const password = await this.passwords.makeUnlessEmpty(profile.password, accountId, context.actor);
    await this.runner.run(ref, { ...wanted, ...password }, context);
  }
}
