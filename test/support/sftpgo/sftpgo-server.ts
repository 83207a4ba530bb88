import { randomUUID } from 'node:crypto';
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

/** Why a login failed: the user was refused, or the hook did not answer 200. */
export type Outcome = StoredUser | 'refused' | `hook ${number}` | 'hook unreachable';

const SCOPES = { password: 1, publickey: 2, 'keyboard-interactive': 4 } as const;

type Prompt = Readonly<{ instruction?: string; questions?: string[]; echos?: boolean[]; auth_result?: number }>;

/**
 * The part of SFTPGo 2.7 that decides about logins, built from its documentation and sources: what it sends to its hooks, how it takes their
 * answers, and how long it remembers WebDAV users.
 */
export class SftpgoServer {
  /** Its own database: the users of earlier answers. */
  readonly users = new Map<string, StoredUser>();
  readonly #webdav = new Map<string, Readonly<{ user: StoredUser; password: string; until: number }>>();

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

  /** Handles one request of a WebDAV client, which always sends its password. */
  async webdavRequest(username: string, password: string, ip?: string): Promise<Outcome> {
    const cached = this.#webdav.get(username);
    if (cached && cached.until > this.now() && cached.password === password) return cached.user;
    const user = await this.logIn('DAV', username, { password }, ip);
    if (typeof user === 'string') return user;
    const lifetime = this.settings.webdavCache * 60_000;
    this.#webdav.set(username, { user, password, until: lifetime === 0 ? Infinity : this.now() + lifetime });
    return user;
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
    if (user === 'refused') return user;
    if ('answers' in proof && (await this.#prompt(user, proof, ip)) !== 1) return 'refused';
    const { denied_protocols, denied_login_methods } = user.filters;
    const isDenied = denied_protocols.includes(protocol) || denied_login_methods.includes(method);
    return user.status < 1 || isDenied ? 'refused' : user;
  }

  async #externalUser(protocol: string, username: string, proof: Proof, ip: string): Promise<StoredUser | 'refused'> {
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
    // As in SFTPGo, a new answer replaces the user whom WebDAV remembers.
    this.users.set(user.username, user);
    return user;
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
