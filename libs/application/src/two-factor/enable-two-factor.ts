import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '@keyfold/domain';
import { accountStream, StreamLoader } from '@keyfold/projections';
import { matchingStep, Sealer } from '@keyfold/security';
import { actorOf, proofOf, isGuest, type Caller } from '../caller/caller.js';
import { Clock } from '../clock.js';
import { sealingContext } from '../sealing-context.js';
import { CommandRunner } from '../command-runner.js';
import type { Origin } from '../origin.js';

/** Enables two-factor with a code of the secret that was shown last. The client sends the secret back (wire contract 2.3). */
export class EnableTwoFactorCommand extends Command<void> {
  constructor(
    readonly caller: Caller,
    readonly secret: string,
    readonly code: string,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(EnableTwoFactorCommand)
export class EnableTwoFactorHandler implements ICommandHandler<EnableTwoFactorCommand> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly loader: StreamLoader,
    private readonly sealer: Sealer,
    private readonly clock: Clock,
  ) {}

  async execute({ caller, secret, code, origin }: EnableTwoFactorCommand): Promise<void> {
    if (isGuest(caller)) throw new DomainError('guest-has-no-two-factor');
    const ref = accountStream(caller.account.accountId);
    const [{ state: account }] = await this.loader.load(ref);
    const pending = account.pendingEnrolment;
    if (!pending) throw new DomainError('enrolment-code-invalid');
    const issued = this.sealer.open(pending.sealedSecret, sealingContext.twoFactor(caller.account.accountId));
    const now = this.clock.now();
    const step = canonical(secret) === issued ? matchingStep(issued, code, now) : undefined;
    const command = {
      type: 'EnableTwoFactor',
      ...proofOf(caller),
      enrolment: pending.number,
      step,
      now,
    } as const;
    await this.runner.run(ref, command, { actor: actorOf(caller), ...origin });
  }
}

/** compat: accepts base32 in any letter case, with or without padding and surrounding spaces. */
const canonical = (secret: string) => secret.trim().toUpperCase().replace(/=+$/, '');
