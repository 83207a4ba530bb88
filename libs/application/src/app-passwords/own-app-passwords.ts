import { Command, CommandHandler, Query, QueryHandler, type ICommandHandler, type IQueryHandler } from '@nestjs/cqrs';
import { DomainError, type AppPassword, type AppPasswordProtocol } from '@keyfold/domain';
import { appPasswordsStream, StreamLoader } from '@keyfold/projections';
import { newAppPassword } from '@keyfold/security';
import { actorOf, requireAppPasswordHolder, type Caller } from '../caller/caller.js';
import { TokenActivity } from '../caller/token-activity.js';
import { Clock } from '../clock.js';
import { CommandRunner } from '../command-runner.js';
import { listedSecret, type ListedSecret } from '../named-secrets/secret-lists.js';
import type { Origin } from '../origin.js';

export type ListedAppPassword = ListedSecret<AppPassword>;

/** Returns the list entries of app passwords. `now` is in unix milliseconds. */
export async function listAppPasswords(
  passwords: readonly AppPassword[],
  activity: TokenActivity,
  now: number,
): Promise<ListedAppPassword[]> {
  const lastUses = await activity.lastUsesOfSecrets('app-password', passwords);
  return passwords.map((password, index) => listedSecret(password, lastUses[index], now));
}

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
    private readonly clock: Clock,
  ) {}

  async execute({ caller, input, origin }: CreateOwnAppPasswordCommand): Promise<NewAppPassword> {
    requireAppPasswordHolder(caller);
    const { accountId } = caller.account;
    const { text, hash } = newAppPassword();
    const ref = appPasswordsStream(accountId);
    const now = this.clock.now();
    const command = { type: 'CreateAppPassword', accountId, ...input, hash, now } as const;
    const { state } = await this.runner.run(ref, command, { actor: actorOf(caller), ...origin });
    const created = state.secrets.at(-1);
    // The request has run before, with another secret.
    if (created?.hash !== hash) throw new DomainError('app-password-not-found');
    return { ...listedSecret(created, undefined, now), text };
  }
}

/** Lists the caller's app passwords, oldest first, including expired ones that were not revoked. */
export class ListOwnAppPasswordsQuery extends Query<readonly ListedAppPassword[]> {
  constructor(readonly caller: Caller) {
    super();
  }
}

/** @throws `guest-has-no-app-passwords` or `app-password-session-required`. */
@QueryHandler(ListOwnAppPasswordsQuery)
export class ListOwnAppPasswordsHandler implements IQueryHandler<ListOwnAppPasswordsQuery> {
  constructor(
    private readonly loader: StreamLoader,
    private readonly activity: TokenActivity,
    private readonly clock: Clock,
  ) {}

  async execute({ caller }: ListOwnAppPasswordsQuery): Promise<readonly ListedAppPassword[]> {
    requireAppPasswordHolder(caller);
    const [{ state }] = await this.loader.load(appPasswordsStream(caller.account.accountId));
    return listAppPasswords(state.secrets, this.activity, this.clock.now());
  }
}

/** Revokes an app password of the caller. One of another account is refused like a nonexistent one. */
export class RevokeOwnAppPasswordCommand extends Command<void> {
  constructor(
    readonly caller: Caller,
    readonly appPasswordId: number,
    readonly origin: Origin,
  ) {
    super();
  }
}

/** @throws `guest-has-no-app-passwords`, `app-password-session-required` or `app-password-not-found`. */
@CommandHandler(RevokeOwnAppPasswordCommand)
export class RevokeOwnAppPasswordHandler implements ICommandHandler<RevokeOwnAppPasswordCommand> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ caller, appPasswordId, origin }: RevokeOwnAppPasswordCommand): Promise<void> {
    requireAppPasswordHolder(caller);
    const ref = appPasswordsStream(caller.account.accountId);
    await this.runner.run(ref, { type: 'RevokeAppPassword', id: appPasswordId }, { actor: actorOf(caller), ...origin });
  }
}
