import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '@keyfold/domain';
import { accountStream, sshKeyRingStream, sshKeyUseStream, StreamLoader } from '@keyfold/projections';
import { Clock } from '../clock.js';
import { CommandRunner, type Origin } from '../command-runner.js';

/** How far the clock of a server that reports a use may be from ours (milliseconds). */
const CLOCK_DIFFERENCE = 300_000;

/**
 * A server saw a verified signature by a key of an account; `usedAt` in unix milliseconds by its clock. Of the uses of one key within ten
 * minutes only the first is recorded. The same `messageId` again changes nothing. Throws `account-not-found`, `ssh-key-not-found`,
 * `ssh-key-use-untimely`.
 */
export class RecordSshKeyUse extends Command<void> {
  constructor(
    readonly use: Readonly<{
      accountId: number;
      fingerprint: string;
      usedAt: number;
      messageId: string;
      origin: Origin;
    }>,
  ) {
    super();
  }
}

@CommandHandler(RecordSshKeyUse)
export class RecordSshKeyUseHandler implements ICommandHandler<RecordSshKeyUse> {
  constructor(
    private readonly loader: StreamLoader,
    private readonly commands: CommandRunner,
    private readonly clock: Clock,
  ) {}

  async execute({ use }: RecordSshKeyUse): Promise<void> {
    const { accountId, fingerprint, messageId, origin } = use;
    const [account, ring] = await this.loader.load(accountStream(accountId), sshKeyRingStream(accountId));
    // Also of a disabled account: the use was before, and it is told late.
    if (account.state.status !== 'active') throw new DomainError('account-not-found');
    const used = ring.state.keys.find(({ key }) => key.fingerprint === fingerprint);
    if (!used) throw new DomainError('ssh-key-not-found');
    const usedAt = this.#timely(use.usedAt, used.addedAt);
    const context = { actor: 'message', ...origin, causation: messageId, commandId: `message:${messageId}` };
    const command = { type: 'RecordSshKeyUse', keyId: used.keyId, usedAt } as const;
    await this.commands.run(sshKeyUseStream(accountId), command, context);
  }

  /** A use shortly before its key was added is one at its addition, by another clock or in whole seconds. */
  #timely(usedAt: number, addedAt: number): number {
    const isEarly = usedAt < addedAt - CLOCK_DIFFERENCE;
    const isLate = usedAt > this.clock.now() + CLOCK_DIFFERENCE;
    if (isEarly || isLate) throw new DomainError('ssh-key-use-untimely');
    return Math.max(usedAt, addedAt);
  }
}
