import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { NameRules } from '@keyfold/domain';
import { accountStream } from '@keyfold/projections';
import { contextOf, proofOf, refuseGuest, type Caller } from '../caller/caller.js';
import { Clock } from '../commands/clock.js';
import { CommandRunner, type CommandContext } from '../commands/command-runner.js';
import { UserNames } from '../login/user-names.js';
import { SecretRevocation } from '../named-secrets/secret-revocation.js';
import type { Origin } from '../origin.js';
import { NewPasswords } from './new-passwords.js';

/**
 * Changes the caller's own name, password and SSO id. An empty password keeps the old one. `revokeSecrets` also revokes the access tokens and app
 * passwords.
 */
export class ChangeOwnProfileCommand extends Command<void> {
  constructor(
    readonly caller: Caller,
    readonly profile: Readonly<{ username: string; password: string; ssoId: string; revokeSecrets: boolean }>,
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
    private readonly revocation: SecretRevocation,
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
    const change = (each: CommandContext) => this.runner.run(ref, { ...wanted, ...password }, each);
    await (profile.revokeSecrets ? this.revocation.after(accountId, context, change) : change(context));
  }
}
