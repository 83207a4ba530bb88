import { Command, CommandHandler, Query, QueryHandler, type ICommandHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ADMIN_ID, DomainError, FIRST_GENERATION, type Account, type NewPassword } from '@keyfold/domain';
import { accountStream } from '@keyfold/projections';
import { isSetupCode, LoginThrottle } from '@keyfold/security';
import { NewPasswords } from '../accounts/new-passwords.js';
import { CommandRunner } from '../commands/command-runner.js';
import { SessionStart, type LoginClientInfo } from '../login/session-start.js';
import { refuseFor } from '../login/counted-attempts.js';
import type { Origin } from '../origin.js';
import { SecurityLog } from '../security-log/security-log.js';
import { Setup } from './setup.js';

const ACTOR = 'setup';

/** Asks whether a setup code is awaited. */
export class GetSetupQuery extends Query<Readonly<{ open: boolean }>> {}

@QueryHandler(GetSetupQuery)
export class GetSetupHandler implements IQueryHandler<GetSetupQuery> {
  constructor(private readonly setup: Setup) {}

  async execute(): Promise<Readonly<{ open: boolean }>> {
    return { open: (await this.setup.codes()).length > 0 };
  }
}

/** Sets the password of the admin for the holder of the setup code, and logs in. Returns the token of the session. */
export class SetUpAdminCommand extends Command<string> {
  constructor(readonly setup: LoginClientInfo & Readonly<{ code: string; password: string }>) {
    super();
  }
}

/**
 * After a crash between the two commits, the password is set and the setup over: the ordinary login follows.
 *
 * @throws `setup-refused`, `too-many-attempts`, `HashQueueFull`, `password-too-short` or `password-too-common`.
 */
@CommandHandler(SetUpAdminCommand)
export class SetUpAdminHandler implements ICommandHandler<SetUpAdminCommand> {
  constructor(
    private readonly setup: Setup,
    private readonly throttle: LoginThrottle,
    private readonly passwords: NewPasswords,
    private readonly runner: CommandRunner,
    private readonly sessions: SessionStart,
    private readonly security: SecurityLog,
  ) {}

  async execute({ setup: { code, password, ...client } }: SetUpAdminCommand): Promise<string> {
    await this.#requireCode(code, client);
    const account = await this.#change(await this.passwords.make(password, ADMIN_ID, ACTOR), client.origin);
    return this.sessions.run(account, client, { factors: ['password'] });
  }

  async #requireCode(code: string, { address, origin }: LoginClientInfo): Promise<void> {
    const codes = await this.setup.codes();
    if (codes.length === 0) throw new DomainError('setup-refused');
    const admission = await this.throttle.admitSetupCode(address);
    if (!admission.admitted) {
      // A concurrent code was the tenth wrong one, or the source is throttled.
      if (await this.throttle.isSetupBlocked()) throw new DomainError('setup-refused');
      return refuseFor(admission.retryAfterSeconds);
    }
    if (codes.some((each) => isSetupCode(each, code))) return this.throttle.refundSetupCode(address);
    const fields = { factor: 'setup_code', reason: 'setup-refused' };
    const about = { about: [ADMIN_ID], account: ADMIN_ID };
    this.security.report({ name: 'authn_login_fail', ...about, outcome: 'refused', fields, origin });
    throw new DomainError('setup-refused');
  }

  /** The first change of the password wins, so that a setup never undoes a concurrent one. */
  async #change(password: NewPassword, origin: Origin): Promise<Account> {
    const command = { type: 'SetPassword', password, generation: FIRST_GENERATION } as const;
    try {
      return (await this.runner.run(accountStream(ADMIN_ID), command, { actor: ACTOR, ...origin })).state;
    } catch (error) {
      throw error instanceof DomainError ? new DomainError('setup-refused') : error;
    }
  }
}
