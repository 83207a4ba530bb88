import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { KeyedQueue } from '@keyfold/concurrency';
import { DomainError } from '@keyfold/domain';
import { accountStream, StreamLoader } from '@keyfold/projections';
import {
  matchingStep,
  newRecoveryCodes,
  newTotpSecret,
  otpauthUri,
  qrPicture,
  RECOVERY_CODES,
  recoveryCodeHashes,
  Sealer,
} from '@keyfold/security';
import { contextOf, proofOf, protectAdmins, refuseGuest, type Caller } from '../caller/caller.js';
import { AccountCommand, CallerCommand } from '../caller/caller-command.js';
import { Clock } from '../commands/clock.js';
import { CommandRunner } from '../commands/command-runner.js';
import type { Origin } from '../origin.js';
import { sealingContext } from '../secrets/sealing.js';
import { OwnerProof, type Proof } from './owner-proof.js';

/** Creates a two-factor secret for the caller. It is valid for ten minutes and replaces a secret that was shown before. */
export class StartTwoFactorEnrolmentCommand extends CallerCommand<{ qr: string; secret: string }> {}

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
    const now = this.clock.now();
    const command = { type: 'StartTwoFactorEnrolment', ...proofOf(caller), sealedSecret, now } as const;
    await this.runner.run(ref, command, contextOf(caller, origin));
    const qr = await this.#pictures.run('', () => qrPicture(otpauthUri({ username, secret })));
    return { qr, secret };
  }
}

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
    refuseGuest(caller, 'guest-has-no-two-factor');
    const ref = accountStream(caller.account.accountId);
    const [{ state: account }] = await this.loader.load(ref);
    const pending = account.pendingEnrolment;
    if (!pending) throw new DomainError('enrolment-code-invalid');
    const issued = this.sealer.open(pending.sealedSecret, sealingContext.twoFactor(caller.account.accountId));
    const now = this.clock.now();
    const step = canonical(secret) === issued ? matchingStep(issued, code, now) : undefined;
    const command = { type: 'EnableTwoFactor', ...proofOf(caller), enrolment: pending.number, step, now } as const;
    await this.runner.run(ref, command, contextOf(caller, origin));
  }
}

/** compat: accepts base32 in any letter case, with or without padding and surrounding spaces. */
const canonical = (secret: string) => secret.trim().toUpperCase().replace(/=+$/, '');

/** Disables two-factor for the caller, who gives the password or a code. Does nothing and asks for no proof if it is off. */
export class DisableOwnTwoFactorCommand extends Command<void> {
  constructor(
    readonly caller: Caller,
    readonly proof: Proof,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(DisableOwnTwoFactorCommand)
export class DisableOwnTwoFactorHandler implements ICommandHandler<DisableOwnTwoFactorCommand> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly ownerProof: OwnerProof,
  ) {}

  async execute({ caller, proof, origin }: DisableOwnTwoFactorCommand): Promise<void> {
    refuseGuest(caller, 'guest-has-no-two-factor');
    const { account } = caller;
    if (!account.twoFactor) return;
    await this.ownerProof.before(account, proof, origin, async (usedCode) => {
      const command = { type: 'DisableTwoFactor', ...proofOf(caller), usedCode } as const;
      await this.runner.run(accountStream(account.accountId), command, contextOf(caller, origin));
    });
  }
}

/** Replaces the recovery codes of the caller, who gives the password or a code. Returns the new ones, which nothing shows again. */
export class GenerateRecoveryCodesCommand extends Command<readonly string[]> {
  constructor(
    readonly caller: Caller,
    readonly proof: Proof,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(GenerateRecoveryCodesCommand)
export class GenerateRecoveryCodesHandler implements ICommandHandler<GenerateRecoveryCodesCommand> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly ownerProof: OwnerProof,
    private readonly sealer: Sealer,
  ) {}

  async execute({ caller, proof, origin }: GenerateRecoveryCodesCommand): Promise<readonly string[]> {
    refuseGuest(caller, 'guest-has-no-two-factor');
    const { account } = caller;
    const { accountId } = account;
    if (!account.twoFactor) throw new DomainError('two-factor-off');
    const codes = newRecoveryCodes();
    const sealedCodes = this.sealer.seal(recoveryCodeHashes(codes), sealingContext.recoveryCodes(accountId));
    await this.ownerProof.before(account, proof, origin, async (usedCode) => {
      const generated = { type: 'GenerateRecoveryCodes', sealedCodes, count: RECOVERY_CODES, usedCode } as const;
      const command = { ...generated, ...proofOf(caller) };
      await this.runner.run(accountStream(accountId), command, contextOf(caller, origin));
    });
    return codes;
  }
}

/** Disables two-factor for an account on behalf of an administrator, and lifts a lock of its code. Does nothing if it is off. */
export class DisableTwoFactorCommand extends AccountCommand {}

@CommandHandler(DisableTwoFactorCommand)
export class DisableTwoFactorHandler implements ICommandHandler<DisableTwoFactorCommand> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ caller, accountId, origin }: DisableTwoFactorCommand): Promise<void> {
    await protectAdmins(caller, accountId, this.runner);
    await this.runner.run(accountStream(accountId), { type: 'DisableTwoFactor' }, contextOf(caller, origin));
  }
}
