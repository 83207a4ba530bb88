import { randomUUID } from 'node:crypto';
import { isNameForSftpgo } from '../../../apps/gateway/src/file-servers/sftpgo-user.js';
import type { SftpgoSettings } from './sftpgo-settings.js';

/** A user as the hook answers it. */
export type StoredUser = Readonly<{
  status: number;
  username: string;
  home_dir: string;
  permissions: Readonly<Record<string, readonly string[]>>;
  filters: Readonly<{ denied_protocols: readonly string[]; denied_login_methods: readonly string[] }>;
}>;

/** How a client proves itself. `answers` are those to the prompts of keyboard-interactive, in their order. */
export type Proof =
  | Readonly<{ password: string }>
  | Readonly<{ publicKey: string }>
  | Readonly<{ answers: (questions: readonly string[]) => readonly string[] }>;

/** Why a login failed: the user was refused, the hook did not answer 200, or SFTPGo could not store the user. */
export type Outcome = StoredUser | 'refused' | `hook ${number}` | 'hook unreachable' | NotStored;
type NotStored = 'name not accepted' | 'password longer than 72 bytes' | 'user exists';

/** The locks of the files that a WebDAV user has open. */
export type Locks = Set<string>;

const SCOPES = { password: 1, publickey: 2, 'keyboard-interactive': 4 } as const;

type Prompt = Readonly<{ instruction?: string; questions?: string[]; echos?: boolean[]; auth_result?: number }>;

/**
 * The part of SFTPGo 2.7.5 that decides about logins: what it sends to its hooks, how it takes their answers, when it cannot store a user, and how
 * long it keeps the locks of WebDAV. `deployment/sftpgo.spec.ts` names each fact, and how it was observed.
 */
export class SftpgoServer {
  /** Its own database: the users of earlier answers. */
  readonly users = new Map<string, StoredUser>();
  readonly #webdav = new Map<string, Readonly<{ home: string; locks: Locks; until: number }>>();

  /** @param now returns milliseconds, for the cache */
  constructor(
    private readonly settings: SftpgoSettings,
    private readonly now: () => number = () => Date.now(),
  ) {}

  /** Logs a client in. `ip` is the client's address. */
  async logIn(protocol: string, username: string, proof: Proof, ip = '192.0.2.1'): Promise<Outcome> {
    try {
      return await this.#logIn(protocol, username, proof, ip);
    } catch (error) {
      if (error instanceof HookFailure) return error.status === 0 ? 'hook unreachable' : `hook ${error.status}`;
      throw error;
    }
  }

  /** Handles one request of a WebDAV client, which always sends its password. The hook is asked about a cached user as well. */
  async webdavRequest(
    username: string,
    password: string,
    ip?: string,
  ): Promise<Exclude<Outcome, StoredUser> | Readonly<{ user: StoredUser; locks: Locks }>> {
    const cached = this.#webdav.get(username);
    const user = await this.logIn('DAV', username, { password }, ip);
    if (typeof user === 'string') return user;
    const { home_dir: home } = user;
    if (cached && cached.until > this.now() && cached.home === home) return { user, locks: cached.locks };
    const lifetime = this.settings.webdavCache * 60_000;
    const locks: Locks = new Set();
    this.#webdav.set(username, { home, locks, until: lifetime === 0 ? Infinity : this.now() + lifetime });
    return { user, locks };
  }

  /** Starts a transfer in an open session, and returns whether it is allowed. */
  async transfer(action: string, protocol: string, username: string): Promise<boolean> {
    if (!this.settings.actions.includes(action)) return true;
    const paths = { path: '/srv/site/x', virtual_path: '/x', fs_provider: 0, status: 1, ip: '192.0.2.1' };
    try {
      await this.#post(this.settings.actionHook, { action, username, protocol, ...paths, timestamp: 1 });
      return true;
    } catch (error) {
      if (error instanceof HookFailure) return false;
      throw error;
    }
  }

  async #logIn(protocol: string, username: string, proof: Proof, ip: string): Promise<Outcome> {
    const method =
      'password' in proof ? 'password' : 'publicKey' in proof ? 'publickey' : ('keyboard-interactive' as const);
    if (!(this.settings.authScope & SCOPES[method])) throw new Error(`the hook is not asked about ${method}`);
    const user = await this.#externalUser(protocol, username, proof, ip);
    if (typeof user === 'string') return user;
    if ('answers' in proof && (await this.#prompt(user, proof, ip)) !== 1) return 'refused';
    const { denied_protocols, denied_login_methods } = user.filters;
    const isDenied = denied_protocols.includes(protocol) || denied_login_methods.includes(method);
    return user.status < 1 || isDenied ? 'refused' : user;
  }

  async #externalUser(
    protocol: string,
    username: string,
    proof: Proof,
    ip: string,
  ): Promise<StoredUser | 'refused' | NotStored> {
    const stored = this.users.get(username);
    const text = await this.#post(this.settings.authHook, {
      username,
      ip,
      protocol,
      password: 'password' in proof ? proof.password : '',
      public_key: 'publicKey' in proof ? proof.publicKey : '',
      keyboard_interactive: 'answers' in proof ? '1' : '',
      tls_cert: '',
      ...(stored && { user: { id: 1, ...stored, last_login: this.now(), virtual_folders: [], description: '' } }),
    });
    if (text.trim() === '') throw new Error('an empty answer makes SFTPGo check what it stored');
    const user = JSON.parse(text) as StoredUser;
    if (!user.username) return 'refused';
    if (!user.home_dir.startsWith('/') || !user.permissions['/']?.length) throw new Error(`invalid user: ${text}`);
    // A user with another name than the login, such as a stand-in, is read again.
    const known = user.username === username ? stored : this.users.get(user.username);
    const failure = this.#whyNotStored(user.username, proof, known);
    if (failure) return failure;
    this.users.set(user.username, user);
    return user;
  }

  /** `known` is the user that was stored before the hook was asked: without one, SFTPGo adds the user, even if another login has added it since. */
  #whyNotStored(username: string, proof: Proof, known: StoredUser | undefined): NotStored | undefined {
    if (!isNameForSftpgo(username)) return 'name not accepted';
    const password = 'password' in proof ? proof.password : '';
    if (this.settings.passwordHash === 'bcrypt' && Buffer.byteLength(password) > 72)
      return 'password longer than 72 bytes';
    return known === undefined && this.users.has(username) ? 'user exists' : undefined;
  }

  async #prompt(user: StoredUser, proof: Extract<Proof, { answers: unknown }>, ip: string): Promise<number> {
    const request_id = randomUUID();
    let sent: object = { ip };
    for (let step = 1; step < 10; step++) {
      const body = { request_id, step, username: user.username, password: '$2a$10$stored', ...sent };
      const prompt = JSON.parse(await this.#post(this.settings.promptHook, body)) as Prompt;
      if (prompt.auth_result) return prompt.auth_result;
      const { questions = [], echos = [] } = prompt;
      if (questions.length === 0 || questions.length !== echos.length) throw new Error('invalid prompt');
      // SFTPGo names the address in its first request only.
      sent = { questions, answers: proof.answers(questions) };
    }
    throw new Error('the prompts do not end');
  }

  /** As SFTPGo does, sends the configured header only to addresses that start with its `url`, and never retries. */
  async #post(url: string, body: object): Promise<string> {
    const { key, value, url: start } = this.settings.header;
    const headers = { 'content-type': 'application/json', ...(url.startsWith(start) && { [key]: value }) };
    const signal = AbortSignal.timeout(this.settings.timeout * 1_000);
    const sent = { method: 'POST', headers, signal, body: JSON.stringify(body) };
    const answer = await fetch(url, sent).catch(() => undefined);
    if (answer?.status !== 200) throw new HookFailure(answer?.status ?? 0);
    return answer.text();
  }
}

class HookFailure extends Error {
  constructor(readonly status: number) {
    super(`the hook answered ${status}`);
  }
}
