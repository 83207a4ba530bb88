import { FindServerAccountsQuery, type Origin } from '@keyfold/application';
import { mayLogInOver, type FileProtocol } from '@keyfold/domain';
import { successEnvelope } from '@keyfold/http-envelope';
import type { QueryBus } from '@nestjs/cqrs';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { failed, unstored, type FileServerAnswer } from './file-server-answer.js';
import { foreignBodyOf, queryOf } from './file-server-requests.js';
import type { AskedLogin, ServerLogins } from './server-logins.js';
import { PromptedAddresses, QUESTIONS, RESULTS } from './sftpgo-prompts.js';
import { SftpgoStandIns } from './sftpgo-stand-ins.js';
import {
  homeOf,
  lockedOutUser,
  mayTransfer,
  protocolOfLogin,
  protocolOfSession,
  sftpgoUser,
  type SftpgoUser,
} from './sftpgo-user.js';
import {
  SftpgoLogin,
  SftpgoPrompt,
  SftpgoSessions,
  SftpgoTransfer,
  SiteRoot,
  type SftpgoSession,
} from './sftpgo.requests.js';

/** Bounds of the bodies, in bytes. A login also has the user whom SFTPGo stored. */
const BYTES = { login: 131_072, prompt: 65_536, transfer: 65_536, sessions: 1_048_576 };

/** Refuses a login: SFTPGo takes an empty body for an unchanged user. */
const NOBODY = { username: '' } as const;

/**
 * Answers the hooks of SFTPGo 2.6 and later, which check logins as `POST /logins` does. A refusal has the status 200. Any other status, as for a
 * throttled login or an outage, is an error for SFTPGo, which refuses the login as well.
 */
export class SftpgoHooks {
  readonly #addresses = new PromptedAddresses();
  readonly #standIns = new SftpgoStandIns();

  /** `onUnusable` is called with an account whose base path is no folder below the root of the site. */
  constructor(
    private readonly logins: ServerLogins,
    private readonly queries: QueryBus,
    private readonly onUnusable: (username: string, origin: Origin) => void,
  ) {}

  /** Answers `external_auth_hook`. */
  async authenticate(request: IncomingMessage, origin: Origin): Promise<FileServerAnswer> {
    const { root } = queryOf(SiteRoot, request);
    const login = await foreignBodyOf(SftpgoLogin, request, BYTES.login);
    return answer(await this.#userFor(login, root, origin));
  }

  /** Answers `keyboard_interactive_auth_hook`, which SFTPGo asks after the hook above gave it a user. */
  async prompt(request: IncomingMessage, origin: Origin): Promise<FileServerAnswer> {
    const prompt = await foreignBodyOf(SftpgoPrompt, request, BYTES.prompt);
    if (prompt.answers === null) {
      this.#addresses.keep(prompt.request_id, prompt.ip);
      return answer(QUESTIONS);
    }
    const address = addressOf(this.#addresses.take(prompt.request_id) ?? prompt.ip);
    const [password = '', code = ''] = prompt.answers;
    if (password === '') return answer(RESULTS.refused);
    const secrets = { password, code: code === '' ? undefined : code };
    const { account } = await this.logins.check(
      { protocol: 'sftp', username: prompt.username, address, ...secrets },
      origin,
    );
    return answer(account ? RESULTS.accepted : RESULTS.refused);
  }

  /** Answers the hook of `common.actions` before a transfer: SFTPGo denies the transfer unless the status is 200. */
  async transfer(request: IncomingMessage): Promise<FileServerAnswer> {
    const { action, username, protocol } = await foreignBodyOf(SftpgoTransfer, request, BYTES.transfer);
    const account = (await this.queries.execute(new FindServerAccountsQuery([username]))).get(username);
    return account && mayTransfer(action, protocol, account.permission)
      ? answer({})
      : failed(403, 'the account may not do this over this protocol');
  }

  /** Answers which of the open sessions must be closed. */
  async endedSessions(request: IncomingMessage): Promise<FileServerAnswer> {
    const { sessions } = await foreignBodyOf(SftpgoSessions, request, BYTES.sessions);
    const names = [...new Set(sessions.map(({ username }) => username))];
    const accounts = await this.queries.execute(new FindServerAccountsQuery(names));
    const mayStay = ({ username, protocol: name }: SftpgoSession) => {
      const [account, protocol] = [accounts.get(username), protocolOfSession(name)];
      return account !== undefined && (protocol === undefined || mayLogInOver(protocol, account.permission));
    };
    const ended = sessions.filter((each) => !mayStay(each)).map(({ id }) => id);
    return unstored(successEnvelope({ ended }));
  }

  async #userFor(login: SftpgoLogin, root: string, origin: Origin): Promise<SftpgoUser | typeof NOBODY> {
    const { username } = login;
    const protocol = protocolOfLogin(login.protocol);
    if (protocol === undefined || username === '') return NOBODY;
    if (login.keyboard_interactive !== '') return this.#userToPrompt(username, root, origin);
    const asked = askedBy(login, protocol);
    const account = asked && (await this.logins.check(asked, origin)).account;
    return (account && this.#userAt(root, account, protocol, origin)) ?? NOBODY;
  }

  async #userToPrompt(username: string, root: string, origin: Origin): Promise<SftpgoUser> {
    const account = (await this.queries.execute(new FindServerAccountsQuery([username]))).get(username);
    const user =
      account && mayLogInOver('sftp', account.permission) ? this.#userAt(root, account, 'sftp', origin) : undefined;
    return user ?? lockedOutUser(this.#standIns.nameFor(username), root);
  }

  #userAt(
    root: string,
    account: Readonly<{ username: string; basePath: string; permission: number }>,
    protocol: FileProtocol,
    origin: Origin,
  ): SftpgoUser | undefined {
    const home = homeOf(root, account.basePath);
    if (home === undefined) this.onUnusable(account.username, origin);
    return home === undefined ? undefined : sftpgoUser(account, home, protocol);
  }
}

function askedBy(login: SftpgoLogin, protocol: FileProtocol): AskedLogin | undefined {
  const { username, password, public_key: publicKey } = login;
  const who = { protocol, username, address: addressOf(login.ip) };
  if (publicKey !== '') return { ...who, publicKey };
  return password === '' ? undefined : { ...who, password, code: undefined };
}

const addressOf = (ip: string): string | undefined => (isIP(ip) ? ip : undefined);
const answer = (body: object): FileServerAnswer => unstored(JSON.stringify(body));
