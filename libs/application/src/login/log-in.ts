import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Account, SessionStarted } from '@keyfold/domain';
import { DeviceTokens, type Device } from '@keyfold/security';
import { Clock } from '../commands/clock.js';
import type { Origin } from '../origin.js';
import { SecurityLog } from '../security-log/security-log.js';
import { nameHash } from './user-names.js';
import { CodeCheck, type RightCode } from './code-check.js';
import { LoginReport } from './login-outcomes.js';
import { PasswordCheck, type PasswordAttempt } from './password-check.js';
import { SessionStart } from './session-start.js';

/** The token of the new session, and the device token to present at the next login. */
export type LoggedIn = Readonly<{ token: string; deviceToken: string }>;

/** Logs in with a password, given as its static hash. `undefined` is always wrong. */
export class LogInCommand extends Command<LoggedIn> {
  constructor(
    readonly login: Readonly<{
      username: string;
      staticHash: string | undefined;
      code: string;
      address: string;
      /** The device token of an earlier login, if the client shows one. */
      deviceToken: string | undefined;
      client: string;
      origin: Origin;
    }>,
  ) {
    super();
  }
}
/** `device` has logged in to an account of this name, possibly to a former owner of the name. */
type Login = LogInCommand['login'] & Readonly<{ device: Device | undefined }>;

@CommandHandler(LogInCommand)
export class LogInHandler implements ICommandHandler<LogInCommand> {
  constructor(
    private readonly passwords: PasswordCheck,
    private readonly codes: CodeCheck,
    private readonly sessions: SessionStart,
    private readonly devices: DeviceTokens,
    private readonly clock: Clock,
    private readonly security: SecurityLog,
  ) {}

  async execute({ login: request }: LogInCommand): Promise<LoggedIn> {
    const account = nameHash(request.username);
    const device = request.deviceToken ? this.devices.read(request.deviceToken, this.clock.now()) : undefined;
    const login = { ...request, device: device?.nameHash === account ? device : undefined };
    return this.passwords.queued(attemptOf(login), () => this.#logIn(login));
  }

  async #logIn(login: Login): Promise<LoggedIn> {
    const report = new LoginReport(this.security, login.origin);
    const door = { givenHash: () => login.staticHash, isOpenFor: ({ disabled }: Account) => !disabled };
    const account = await this.passwords.verify(attemptOf(login), report, door);
    const token = account.twoFactor
      ? await report.watch('one_time_code', () =>
          this.passwords.counts.count('one_time_code', () => this.#startWithCode(login, account)),
        )
      : await this.#startSession(login, account, undefined);
    const { accountId, username, twoFactor } = account;
    const id = deviceOf(login, account)?.id;
    const device = { id, accountId, nameHash: nameHash(username), enrolment: twoFactor?.enrolment };
    return { token, deviceToken: this.devices.sign(device, this.clock.now()) };
  }

  #startWithCode(login: Login, account: Account): Promise<string> {
    const { code, address, origin } = login;
    const given = { code, address, device: codeDeviceOf(login, account), origin };
    return this.codes.useFor(given, account, (right) => this.#startSession(login, account, right));
  }

  #startSession(login: Login, account: Account, right: RightCode | undefined): Promise<string> {
    return this.sessions.run(account, login, { factors: factorsOf(right), usedCode: right?.usedCode });
  }
}

const attemptOf = ({ username, address, device }: Login): PasswordAttempt => ({
  username,
  address,
  device: device?.id,
});

function factorsOf(right: RightCode | undefined): SessionStarted['data']['factors'] {
  if (!right) return ['password'];
  return ['password', right.usedCode ? 'one-time-code' : 'recovery-code'];
}

/** Returns the device if it has passed a code of the present enrolment. */
function codeDeviceOf(login: Login, account: Account): string | undefined {
  const shown = deviceOf(login, account);
  return shown?.enrolment === account.twoFactor!.enrolment ? shown.id : undefined;
}

/** Returns the device, unless its token belongs to a former owner of the name. */
const deviceOf = ({ device }: Login, { accountId }: Account) => (device?.accountId === accountId ? device : undefined);
