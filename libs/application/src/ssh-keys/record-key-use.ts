import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '@keyfold/domain';
import { accountStream, sshKeyRingStream, sshKeyUseStream, StreamLoader } from '@keyfold/projections';
import { Clock } from '../commands/clock.js';
import { CommandRunner } from '../commands/command-runner.js';
import type { Origin } from '../origin.js';

/** Maximum clock difference to a server that reports a use, in milliseconds. */
const CLOCK_SKEW = 300_000;

/**
 * Records that a server verified a signature by a key of an account. `usedAt` is the server's time in unix milliseconds. Only the first
 * of several uses of a key within ten minutes is recorded. `reporter` is the actor of the commit. A repeated report with the same
 * `reportId` of the same reporter has no effect. A use of an expired key is recorded too: the report may be late, and if the server still
 * accepts the key, its owner should see that.
 */
export class RecordSshKeyUseCommand extends Command<void> {
  constructor(
    readonly use: Readonly<{
      accountId: number;
      fingerprint: string;
      usedAt: number;
      reporter: string;
      reportId: string;
      origin: Origin;
    }>,
  ) {
    super();
  }
}

/** @throws `account-not-found`, `ssh-key-not-found` or `ssh-key-use-untimely`. */
@CommandHandler(RecordSshKeyUseCommand)
export class RecordSshKeyUseHandler implements ICommandHandler<RecordSshKeyUseCommand> {
  constructor(
    private readonly loader: StreamLoader,
    private readonly runner: CommandRunner,
    private readonly clock: Clock,
  ) {}

  async execute({ use }: RecordSshKeyUseCommand): Promise<void> {
    const { accountId, fingerprint, reporter, reportId, origin } = use;
    const [account, ring] = await this.loader.load(accountStream(accountId), sshKeyRingStream(accountId));
    // A disabled account passes: its key was used before, and the report is late.
    if (account.state.status !== 'active') throw new DomainError('account-not-found');
    const used = ring.state.keys.find(({ key }) => key.fingerprint === fingerprint);
    if (!used) throw new DomainError('ssh-key-not-found');
    const usedAt = this.#timely(use.usedAt, used.addedAt);
    const context = { actor: reporter, ...origin, causation: reportId, commandId: `${reporter}:${reportId}` };
    const command = { type: 'RecordSshKeyUse', keyId: used.keyId, usedAt } as const;
    await this.runner.run(sshKeyUseStream(accountId), command, context);
  }

  /** Moves a use that is slightly earlier than its key to the time of the addition: clocks differ, and some report whole seconds. */
  #timely(usedAt: number, addedAt: number): number {
    const isEarly = usedAt < addedAt - CLOCK_SKEW;
    const isLate = usedAt > this.clock.now() + CLOCK_SKEW;
    if (isEarly || isLate) throw new DomainError('ssh-key-use-untimely');
    return Math.max(usedAt, addedAt);
  }
}
