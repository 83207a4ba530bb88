import { Controller, Header, HttpCode, Logger, Post, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiExcludeController } from '@nestjs/swagger';
import { FindFileServerAccountsQuery, type Origin } from '@keyfold/application';
import { mayLogInOver, type LoginProtocol } from '@keyfold/domain';
import { checkedKnownFields, Refusal, type InputClass } from '@keyfold/http-envelope';
import { IsIn, IsOptional, Matches, MaxLength, ValidateBy } from 'class-validator';
import { isIP } from 'node:net';
import { checkedQueryOf, originOf, type KeyfoldRequest } from '../request/request-reading.js';
import { LOGIN_TIMEOUT, FileServerAuthenticator, type AskedLogin } from './file-server-authenticator.js';
import { TEXT_LETTERS } from './key.controller.js';
import { KEY_LETTERS } from './login-check.controller.js';
import { NeedsScope } from './server-token.guard.js';
import { PromptedLogins, QUESTIONS, RESULTS, SftpgoStandIns } from './sftpgo-prompts.js';
import {
  homeOf,
  isNameForSftpgo,
  lockedOutUser,
  mayTransfer,
  protocolOfLogin,
  protocolOfSession,
  sftpgoUser,
  TRANSFERS,
  type SftpgoUser,
  type Transfer,
} from './sftpgo-user.js';

/** The number of sessions in one question. */
export const SESSIONS = 500;

const IsText = (letters = TEXT_LETTERS) =>
  MaxLength(letters, { message: `$property must be a text of at most ${letters} letters` });

/** The query of the hook: the folder with the files of the site. */
class SiteRoot {
  @Matches(/^(?!.*\/\.{1,2}(\/|$))(\/[^/\0]+)+\/?$/s, {
    message: '$property must be an absolute path below / without "." and "..", such as /srv/files',
  })
  @IsText(1_024)
  root: string = '';
}

/** The body that SFTPGo sends to its hook for external authentication. An empty text stands for a missing one. */
class SftpgoLogin {
  @IsText() username: string = '';
  @IsText() protocol: string = '';
  @IsText() ip: string = '';
  @IsText() password: string = '';
  /** Offered by the client, which has not proved yet that it has the private half. */
  @IsText(KEY_LETTERS) public_key: string = '';
  @IsText() keyboard_interactive: string = '';
}

/** The body that SFTPGo sends to its hook for keyboard-interactive authentication. The first request of a login has no answers. */
class SftpgoPrompt {
  @IsText(256) request_id: string = '';
  @IsText() username: string = '';
  @IsText() ip: string = '';

  @IsOptional()
  @IsListOf(16, (each) => typeof each === 'string' && each.length <= TEXT_LETTERS, 'texts')
  answers: string[] | null = null;
}

/** The body that SFTPGo sends to its hook for actions, before a transfer. */
class SftpgoTransfer {
  @IsIn(TRANSFERS, { message: `$property must be one of ${TRANSFERS.join(', ')}` })
  action: Transfer = undefined as never;

  @IsText() username: string = '';
  @IsText() protocol: string = '';
}

/** An open session, in SFTPGo's words. */
type SftpgoSession = Readonly<{ id: string; username: string; protocol: string }>;

/** The question which open sessions must end. */
class SftpgoSessions {
  @IsListOf(SESSIONS, isSession, 'sessions with the texts id, username and protocol')
  sessions: SftpgoSession[] = [];
}

/** Refuses a login: SFTPGo takes an empty body for an unchanged user. */
const NOBODY = { username: '' } as const;

/** The limits of a login, whose body also has the user whom SFTPGo stored, of an answer to prompts and of a list of sessions. */
export const SFTPGO_LIMITS = {
  login: { bodyLimit: 131_072, handlerTimeout: LOGIN_TIMEOUT },
  prompt: { handlerTimeout: LOGIN_TIMEOUT },
  sessions: { bodyLimit: 1_048_576 },
};

/** SFTPGo has its own format, not the envelope. */
const BareJson = () => Header('content-type', 'application/json; charset=utf-8');

/**
 * Answers the hooks of SFTPGo 2.6 and later, which check logins as `POST /logins` does. A refusal has the status 200. Any other status, as for a
 * throttled login or an outage, is an error for SFTPGo, which refuses the login as well.
 */
@ApiExcludeController()
@Controller('sftpgo')
export class SftpgoController {
  readonly #log = new Logger(SftpgoController.name);
  readonly #prompted = new PromptedLogins();
  readonly #standIns = new SftpgoStandIns();

  constructor(
    private readonly authenticator: FileServerAuthenticator,
    private readonly queryBus: QueryBus,
  ) {}

  /** Answers `external_auth_hook`. */
  @Post('auth')
  @HttpCode(200)
  @BareJson()
  @NeedsScope('logins:verify', SFTPGO_LIMITS.login)
  async authenticate(@Req() request: KeyfoldRequest): Promise<string> {
    const root = checkedQueryOf(SiteRoot, request).root.replace(/\/$/, '');
    return JSON.stringify(await this.#userFor(knownFieldsOf(SftpgoLogin, request), root, originOf(request)));
  }

  /** Answers `keyboard_interactive_auth_hook`, which SFTPGo asks after the hook above gave it a user. */
  @Post('prompts')
  @HttpCode(200)
  @BareJson()
  @NeedsScope('logins:verify', SFTPGO_LIMITS.prompt)
  async prompt(@Req() request: KeyfoldRequest): Promise<string> {
    const prompt = knownFieldsOf(SftpgoPrompt, request);
    if (prompt.answers === null) {
      const username = this.#standIns.nameBehind(prompt.username, prompt.ip);
      this.#prompted.keep(prompt.request_id, { address: prompt.ip, username });
      return JSON.stringify(QUESTIONS);
    }
    const { address, username } = this.#prompted.take(prompt.request_id) ?? {
      address: prompt.ip,
      username: prompt.username,
    };
    const [password = '', code = ''] = prompt.answers;
    if (password === '') return JSON.stringify(RESULTS.refused);
    const secrets = { password, code: code === '' ? undefined : code };
    const login: AskedLogin = { protocol: 'sftp', username, address: addressOf(address), ...secrets };
    const origin = originOf(request);
    const { account } = await this.authenticator.check(login, origin);
    if (account) this.#reportUnusableName(username, origin);
    // A stand-in never comes in, even if it stands for an account.
    return JSON.stringify(account?.username === prompt.username ? RESULTS.accepted : RESULTS.refused);
  }

  /** Answers the hook of `common.actions` before a transfer: SFTPGo denies the transfer unless the status is 200. */
  @Post('transfers')
  @HttpCode(200)
  @BareJson()
  @NeedsScope('logins:verify')
  async transfer(@Req() request: KeyfoldRequest): Promise<string> {
    const { action, username, protocol } = knownFieldsOf(SftpgoTransfer, request);
    const account = (await this.queryBus.execute(new FindFileServerAccountsQuery([username]))).get(username);
    if (!account || !mayTransfer(action, protocol, account.permission))
      throw new Refusal(403, 'the account may not do this over this protocol');
    return '{}';
  }

  /** Answers which of the open sessions must be closed, to a script of ours and in the envelope. */
  @Post('sessions')
  @HttpCode(200)
  @NeedsScope('logins:verify', SFTPGO_LIMITS.sessions)
  async endedSessions(@Req() request: KeyfoldRequest): Promise<{ ended: readonly string[] }> {
    const { sessions } = knownFieldsOf(SftpgoSessions, request);
    const names = [...new Set(sessions.map(({ username }) => username))];
    const accounts = await this.queryBus.execute(new FindFileServerAccountsQuery(names));
    const mayStay = ({ username, protocol: name }: SftpgoSession) => {
      const [account, protocol] = [accounts.get(username), protocolOfSession(name)];
      return account !== undefined && (protocol === undefined || mayLogInOver(protocol, account.permission));
    };
    return { ended: sessions.filter((each) => !mayStay(each)).map(({ id }) => id) };
  }

  async #userFor(login: SftpgoLogin, root: string, origin: Origin): Promise<SftpgoUser | typeof NOBODY> {
    const { username } = login;
    const protocol = protocolOfLogin(login.protocol);
    if (protocol === undefined || username === '') return NOBODY;
    if (login.keyboard_interactive !== '') return this.#userToPrompt(login, root, origin);
    const asked = askedBy(login, protocol);
    const account = asked && (await this.authenticator.check(asked, origin)).account;
    // An offered key is no proof, and strangers must not fill the log.
    if (account && login.password !== '') this.#reportUnusableName(username, origin);
    return (account && this.#userAt(root, account, protocol, origin)) ?? NOBODY;
  }

  async #userToPrompt({ username, ip }: SftpgoLogin, root: string, origin: Origin): Promise<SftpgoUser> {
    const account = (await this.queryBus.execute(new FindFileServerAccountsQuery([username]))).get(username);
    // SFTPGo refuses an unusable name before the first prompt, which would show that the account exists.
    const mayEnter = account && mayLogInOver('sftp', account.permission) && isNameForSftpgo(username);
    const user = mayEnter ? this.#userAt(root, account, 'sftp', origin) : undefined;
    return user ?? lockedOutUser(this.#standIns.standInFor({ username, address: ip }), root);
  }

  #reportUnusableName(username: string, { correlation }: Origin): void {
    if (!isNameForSftpgo(username)) this.#log.warn({ username, correlation }, 'SFTPGo 2.7 refuses this user name');
  }

  #userAt(
    root: string,
    account: Readonly<{ username: string; basePath: string; permission: number }>,
    protocol: LoginProtocol,
    origin: Origin,
  ): SftpgoUser | undefined {
    const home = homeOf(root, account.basePath);
    if (home !== undefined) return sftpgoUser(account, home, protocol);
    const { username } = account;
    const { correlation } = origin;
    this.#log.warn({ username, correlation }, 'refused a login: the base path is no folder below the root of the site');
    return undefined;
  }
}

function askedBy(login: SftpgoLogin, protocol: LoginProtocol): AskedLogin | undefined {
  const { username, password, public_key: publicKey } = login;
  const who = { protocol, username, address: addressOf(login.ip) };
  if (publicKey !== '') return { ...who, publicKey };
  return password === '' ? undefined : { ...who, password, code: undefined };
}

const addressOf = (ip: string): string | undefined => (isIP(ip) ? ip : undefined);

/** Reads a body in which later versions of SFTPGo may have more fields. */
const knownFieldsOf = <T extends object>(Input: InputClass<T>, request: KeyfoldRequest): T =>
  checkedKnownFields(Input, request.body, request.sentContentType);

function isSession(value: unknown): boolean {
  const { id, username, protocol } = (value ?? {}) as Partial<Record<keyof SftpgoSession, unknown>>;
  return [id, username, protocol].every(
    (text) => typeof text === 'string' && text.isWellFormed() && text.length <= TEXT_LETTERS,
  );
}

function IsListOf(most: number, isItem: (value: unknown) => boolean, items: string): PropertyDecorator {
  return ValidateBy({
    name: 'isListOf',
    validator: {
      validate: (value) => Array.isArray(value) && value.length <= most && value.every(isItem),
      defaultMessage: (args) => `${args?.property} must be a list of at most ${most} ${items}`,
    },
  });
}
