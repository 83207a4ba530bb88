import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { accountStream } from '@keyfold/projections';
import { newTotpSecret, otpauthUri, qrPicture, Sealer } from '@keyfold/security';
import { actorOf, credentialOf, type Caller } from '../caller/caller.js';
import { Clock } from '../clock.js';
import { sealedFor } from '../sealed-for.js';
import { CommandRunner, type Origin } from '../command-runner.js';
import { KeyedQueue } from '../keyed-queue.js';

/** Makes a secret for the caller; it replaces the one that was shown before and counts for ten minutes. */
export class BeginTwoFactorEnrolment extends Command<{ qr: string; secret: string }> {
  constructor(
    readonly caller: Caller,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(BeginTwoFactorEnrolment)
export class BeginTwoFactorEnrolmentHandler implements ICommandHandler<BeginTwoFactorEnrolment> {
  /** One picture at a time, because each takes the event loop for long. */
  readonly #pictures = new KeyedQueue();

  constructor(
    private readonly commands: CommandRunner,
    private readonly sealer: Sealer,
    private readonly clock: Clock,
  ) {}

  async execute({ caller, origin }: BeginTwoFactorEnrolment): Promise<{ qr: string; secret: string }> {
    const { accountId, username } = caller.account;
    const ref = accountStream(accountId);
    const secret = newTotpSecret();
    const sealedSecret = this.sealer.seal(secret, sealedFor.twoFactor(accountId));
    const command = {
      type: 'StartTwoFactorEnrolment',
      credential: credentialOf(caller),
      sealedSecret,
      now: this.clock.now(),
    } as const;
    await this.commands.run(ref, command, { actor: actorOf(caller), ...origin });
    const qr = await this.#pictures.run('', () => qrPicture(otpauthUri({ username, secret })));
    return { qr, secret };
  }
}
