import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '@keyfold/domain';
import { accountStream, StreamLoader } from '@keyfold/projections';
import { matchingStep, Sealer } from '@keyfold/security';
import { actorOf, credentialOf, isGuest, type Caller } from '../caller/caller.js';
import { Clock } from '../clock.js';
import { sealedFor } from '../sealed-for.js';
import { CommandRunner, type Origin } from '../command-runner.js';

/** Turns two-factor on with a code of the secret that was shown last; the client sends the secret back (wire contract 2.3). */
export class ProveTwoFactorEnrolment extends Command<void> {
  constructor(
    readonly caller: Caller,
    readonly secret: string,
    readonly code: string,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(ProveTwoFactorEnrolment)
export class ProveTwoFactorEnrolmentHandler implements ICommandHandler<ProveTwoFactorEnrolment> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly loader: StreamLoader,
    private readonly sealer: Sealer,
    private readonly clock: Clock,
  ) {}

  async execute({ caller, secret, code, origin }: ProveTwoFactorEnrolment): Promise<void> {
    if (isGuest(caller)) throw new DomainError('guest-has-no-two-factor');
    const ref = accountStream(caller.account.accountId);
    const [{ state: account }] = await this.loader.load(ref);
    const pending = account.pendingEnrolment;
    if (!pending) throw new DomainError('enrolment-code-invalid');
    const issued = this.sealer.open(pending.sealedSecret, sealedFor.twoFactor(caller.account.accountId));
    const now = this.clock.now();
    const step = canonical(secret) === issued ? matchingStep(issued, code, now) : undefined;
    const command = {
      type: 'EnableTwoFactor',
      credential: credentialOf(caller),
      enrolment: pending.number,
      step,
      now,
    } as const;
    await this.commands.run(ref, command, { actor: actorOf(caller), ...origin });
  }
}

/** compat: base32 in any letter case, with or without padding or spaces around it. */
const canonical = (secret: string) => secret.trim().toUpperCase().replace(/=+$/, '');
