import { Command, CommandHandler, Query, QueryHandler, type ICommandHandler, type IQueryHandler } from '@nestjs/cqrs';
import { DomainError, oneTimeCodeHold, requireSession } from '@keyfold/domain';
import { accountStream, StreamLoader } from '@keyfold/projections';
import { contextOf, proofOf, type Caller } from '../caller/caller.js';
import { TokenActivity } from '../caller/token-activity.js';
import { Clock } from '../commands/clock.js';
import { CommandRunner } from '../commands/command-runner.js';
import { withoutCommandId, type Origin } from '../origin.js';
import { OwnerProof, type Proof } from '../two-factor/owner-proof.js';
import { listedSecret, listSecrets, type ListedSecret, type SecretKind } from './secret-kinds.js';

/** The fields of a new secret. `expiresAt` is in unix milliseconds, or null for a secret that never expires. */
export type SecretInput<Details> = Readonly<{ name: string; expiresAt: number | null }> & Details;

/** A new secret with its text, which is not stored. */
export type NewSecret<Details> = ListedSecret<Details> & Readonly<{ text: string }>;

/** Creates a secret of the caller's account, with a session. The proof is needed only if the login is not recent. */
export class CreateOwnSecretCommand<Details> extends Command<NewSecret<Details>> {
  constructor(
    readonly kind: SecretKind<Details>,
    readonly caller: Caller,
    readonly input: SecretInput<Details>,
    readonly proof: Proof,
    readonly origin: Origin,
  ) {
    super();
  }
}

/** @throws what `requireOwner` and `requireMayCreate` of the kind, the decider, `OwnerProof.unlessRecent` and `requireSession` throw, in this order */
@CommandHandler(CreateOwnSecretCommand)
export class CreateOwnSecretHandler implements ICommandHandler<CreateOwnSecretCommand<unknown>> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly ownerProof: OwnerProof,
    private readonly clock: Clock,
  ) {}

  async execute<Details>(command: CreateOwnSecretCommand<Details>): Promise<NewSecret<Details>> {
    const { kind, caller, input, proof, origin } = command;
    kind.requireOwner(caller);
    kind.requireMayCreate(caller, input);
    const { accountId } = caller.account;
    const ref = kind.streamOf(accountId);
    const { hash, textOf } = kind.generate();
    const now = this.clock.now();
    const wanted = { type: kind.commands.create, accountId, ...input, hash, now };
    // A creation that would be refused must cost neither a hash nor a recovery code.
    await this.runner.require(ref, wanted);
    const { state } = await this.ownerProof.unlessRecent(caller, proof, origin, (code) => {
      const usedCode = code && oneTimeCodeHold(accountId, code.enrolment, code.step, 'one-time-code-invalid');
      return this.runner.run(ref, { ...wanted, usedCode }, contextOf(caller, origin));
    });
    const created = state.secrets.at(-1);
    // The request has run before, with another secret.
    if (created?.hash !== hash) throw new DomainError(`${kind.name}-not-found`);
    await this.#requireStillLoggedIn(command, created.id);
    return { ...listedSecret(created, undefined, now), text: textOf(created.id) };
  }

  /**
   * Revokes the new secret if all sessions of the account were ended, its password changed or it was disabled since the caller was identified. All
   * secrets may have been revoked then, before this one was stored.
   */
  async #requireStillLoggedIn<Details>(
    { kind, caller, origin }: CreateOwnSecretCommand<Details>,
    id: number,
  ): Promise<void> {
    const { accountId } = caller.account;
    try {
      await this.runner.check(accountStream(accountId), (account) => requireSession(account, proofOf(caller)));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const revoke = { type: kind.commands.revoke, id, now: this.clock.now() };
      await this.runner
        .run(kind.streamOf(accountId), revoke, contextOf(caller, withoutCommandId(origin)))
        .catch(ignoreRefusal);
      throw error;
    }
  }
}

/** Ignores that the secret was revoked meanwhile. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof DomainError)) throw error;
}

/** Lists the caller's secrets of one kind, oldest first, including expired ones that were not revoked. */
export class ListOwnSecretsQuery<Details> extends Query<readonly ListedSecret<Details>[]> {
  constructor(
    readonly kind: SecretKind<Details>,
    readonly caller: Caller,
  ) {
    super();
  }
}

@QueryHandler(ListOwnSecretsQuery)
export class ListOwnSecretsHandler implements IQueryHandler<ListOwnSecretsQuery<unknown>> {
  constructor(
    private readonly loader: StreamLoader,
    private readonly activity: TokenActivity,
    private readonly clock: Clock,
  ) {}

  async execute<Details>({ kind, caller }: ListOwnSecretsQuery<Details>): Promise<readonly ListedSecret<Details>[]> {
    kind.requireOwner(caller);
    const [{ state }] = await this.loader.load(kind.streamOf(caller.account.accountId));
    return listSecrets(kind, state.secrets, this.activity, this.clock.now());
  }
}

/** Revokes a secret of the caller. One of another account is refused like a nonexistent one. */
export class RevokeOwnSecretCommand<Details> extends Command<void> {
  constructor(
    readonly kind: SecretKind<Details>,
    readonly caller: Caller,
    readonly id: number,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(RevokeOwnSecretCommand)
export class RevokeOwnSecretHandler implements ICommandHandler<RevokeOwnSecretCommand<unknown>> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly clock: Clock,
  ) {}

  async execute<Details>({ kind, caller, id, origin }: RevokeOwnSecretCommand<Details>): Promise<void> {
    kind.requireOwner(caller);
    const ref = kind.streamOf(caller.account.accountId);
    await this.runner.run(ref, { type: kind.commands.revoke, id, now: this.clock.now() }, contextOf(caller, origin));
  }
}
