import { KeyedQueue } from '@keyfold/concurrency';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { accountStream } from '@keyfold/projections';
import { newTotpSecret, otpauthUri, qrPicture, Sealer } from '@keyfold/security';
import { actorOf, proofOf, type Caller } from '../caller/caller.js';
import { Clock } from '../clock.js';
import { sealingContext } from '../sealing-context.js';
import { CommandRunner } from '../command-runner.js';
import type { Origin } from '../origin.js';

/** Creates a two-factor secret for the caller. It is valid for ten minutes and replaces a secret that was shown before. */
export class StartTwoFactorEnrolmentCommand extends Command<{ qr: string; secret: string }> {
  constructor(
    readonly caller: Caller,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(StartTwoFactorEnrolmentCommand)
export class StartTwoFactorEnrolmentHandler implements ICommandHandler<StartTwoFactorEnrolmentCommand> {
  /** Draws one QR code at a time, because each blocks the event loop for long. */
  readonly #pictures = new KeyedQueue();

  constructor(
    private readonly runner: CommandRunner,
    private readonly sealer: Sealer,
    private readonly clock: Clock,
  ) {}

  async execute({ caller, origin }: StartTwoFactorEnrolmentCommand): Promise<{ qr: string; secret: string }> {
    const { accountId, username } = caller.account;
    const ref = accountStream(accountId);
    const secret = newTotpSecret();
    const sealedSecret = this.sealer.seal(secret, sealingContext.twoFactor(accountId));
    const command = {
      type: 'StartTwoFactorEnrolment',
      ...proofOf(caller),
      sealedSecret,
      now: this.clock.now(),
    } as const;
    await this.runner.run(ref, command, { actor: actorOf(caller), ...origin });
    const qr = await this.#pictures.run('', () => qrPicture(otpauthUri({ username, secret })));
    return { qr, secret };
  }
}
