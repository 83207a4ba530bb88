import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError, mayLogInOver, type Account, type FileProtocol } from '@keyfold/domain';
import { accountStream } from '@keyfold/projections';
import { staticHash } from '@keyfold/security';
import { AppPasswordCheck, type FoundAppPassword } from '../app-passwords/app-password-check.js';
import { CommandRunner } from '../command-runner.js';
import { CodeCheck, contextOf } from '../login/code-check.js';
import { LoginReport } from '../login/login-report.js';
import { PasswordCheck } from '../login/password-check.js';
import type { Origin } from '../origin.js';
import { SecurityLog } from '../security-log/security-log.js';
import { givenSecrets } from './given-secrets.js';

/** How an account proved itself to a file server. */
export type ServerFactor = 'public-key' | 'password' | 'one-time-code' | 'recovery-code' | 'app-password';

/**
 * The answer to a file server: the account and its proofs, `code required` if the password is right and the account has two-factor, or `refused` for any
 * other reason.
 */
export type ServerLogin =
  Readonly<{ account: Account; factors: readonly ServerFactor[] }> | 'code required' | 'refused';

/**
 * Checks a login to a file server by password. It starts no session. `password`: the password of the account, directly followed by the six digits of a code if
 * `code` is undefined and the account has two-factor; or an app password for the protocol. `address`: the client's.
 *
 * @throws `too-many-attempts`; `HashQueueFull`.
 */
export class CheckServerLoginCommand extends Command<ServerLogin> {
  constructor(
    readonly login: Readonly<{
      protocol: FileProtocol;
      username: string;
      password: string;
      code: string | undefined;
      address: string;
      origin: Origin;
    }>,
  ) {
    super();
  }
}
type Login = CheckServerLoginCommand['login'];

@CommandHandler(CheckServerLoginCommand)
export class CheckServerLoginHandler implements ICommandHandler<CheckServerLoginCommand> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly passwords: PasswordCheck,
    private readonly codes: CodeCheck,
    private readonly appPasswords: AppPasswordCheck,
    private readonly security: SecurityLog,
  ) {}

  async execute({ login }: CheckServerLoginCommand): Promise<ServerLogin> {
    const { username, address } = login;
    try {
      return await this.passwords.inTurn({ username, address, device: undefined }, () => this.#check(login));
    } catch (error) {
      if (!(error instanceof DomainError) || error.code === 'too-many-attempts') throw error;
      return error.code === 'one-time-code-required' ? 'code required' : 'refused';
    }
  }

  async #check(login: Login): Promise<ServerLogin> {
    const { protocol, username, address, origin } = login;
    const report = new LoginReport(this.security, origin);
    const attempt = { username, address, device: undefined };
    let openedBy = undefined as FoundAppPassword | undefined;
    const account = await this.passwords.verify(attempt, report, async (found, verify) => {
      const mayEnter = found !== undefined && !found.disabled && mayLogInOver(protocol, found.permission);
      // No account has the id 0. Without it, the time would reveal which names and accounts may enter.
      openedBy = await this.appPasswords.find(mayEnter ? found.accountId : 0, protocol, login.password, origin);
      if (openedBy) return 'app-password';
      const isRight = await verify(staticHash(givenSecrets(login, found).password));
      return isRight && mayEnter ? 'password' : undefined;
    });
    if (openedBy) return { account, factors: ['app-password'] };
    if (!account.twoFactor) return { account, factors: ['password'] };
    const code = await report.watch('one_time_code', () =>
      this.passwords.counts.count('one_time_code', () => this.#useCode(login, account)),
    );
    return { account, factors: ['password', code] };
  }

  #useCode(login: Login, account: Account): Promise<ServerFactor> {
    const { protocol, address, origin } = login;
    const given = { code: givenSecrets(login, account).code, address, device: undefined, origin };
    return this.codes.useFor(given, account, async ({ usedCode }) => {
      if (!usedCode) return 'recovery-code';
      const command = { type: 'UseOneTimeCode', usedCode, protocol } as const;
      await this.runner.run(accountStream(account.accountId), command, contextOf(account.accountId, origin));
      return 'one-time-code';
    });
  }
}
