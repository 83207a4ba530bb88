import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError, type AppPasswordProtocol } from '@keyfold/domain';
import { appPasswordsStream, StreamLoader } from '@keyfold/projections';
import { newAppPassword } from '@keyfold/security';
import { actorOf, requireAppPasswordHolder, type Caller } from '../caller/caller.js';
import { Clock } from '../clock.js';
import { CommandRunner } from '../command-runner.js';
import { listedSecret } from '../named-secrets/listed-secret.js';
import type { Origin } from '../origin.js';
import type { ListedAppPassword } from './listed-app-password.js';

/** The fields of a new app password. `expiresAt` is in unix milliseconds, or null for one that never expires. */
export type AppPasswordInput = Readonly<{ name: string; protocol: AppPasswordProtocol; expiresAt: number | null }>;

/** A new app password with its text, which is not stored. */
export type NewAppPassword = ListedAppPassword & Readonly<{ text: string }>;

/** Creates an app password of the caller's account, with a session. */
export class CreateOwnAppPasswordCommand extends Command<NewAppPassword> {
  constructor(
    readonly caller: Caller,
    readonly input: AppPasswordInput,
    readonly origin: Origin,
  ) {
    super();
  }
}

/** @throws `guest-has-no-app-passwords`, `app-password-session-required`, or a refusal of `CreateAppPassword`. */
@CommandHandler(CreateOwnAppPasswordCommand)
export class CreateOwnAppPasswordHandler implements ICommandHandler<CreateOwnAppPasswordCommand> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly loader: StreamLoader,
    private readonly clock: Clock,
  ) {}

  async execute({ caller, input, origin }: CreateOwnAppPasswordCommand): Promise<NewAppPassword> {
    requireAppPasswordHolder(caller);
    const { accountId } = caller.account;
    const { text, hash } = newAppPassword();
    const ref = appPasswordsStream(accountId);
    const now = this.clock.now();
    const command = { type: 'CreateAppPassword', accountId, ...input, hash, now } as const;
    await this.runner.run(ref, command, { actor: actorOf(caller), ...origin });
    const [{ state }] = await this.loader.load(ref);
    const created = state.passwords.find((each) => each.hash === hash);
    // A concurrent request has revoked it already.
    if (!created) throw new DomainError('app-password-not-found');
    return { ...listedSecret(created, undefined, now), text };
  }
}
