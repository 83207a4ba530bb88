import { oneTimeCode, stepOf, untilStepHasLeft } from '../support/one-time-code.js';
import type { WireClient } from './wire-client.js';
import type { Json, JsonObject } from './recording.js';
import { valueAt } from './saved-path.js';

const ROOM_MS = 3_000;

/** The accounts of the cases: their passwords, tokens and two-factor secrets, and the admin's changes to them. */
export class Accounts {
  private readonly passwords = new Map([
    ['admin', 'Adm1n-pass'],
    ['guest', 'guest'],
  ]);
  private readonly tokens = new Map<string, string>();
  private readonly secrets = new Map<string, string>();
  private logins = 0;

  constructor(private readonly client: WireClient) {}

  /** Returns the token of an account's first login here. */
  async tokenOf(name: string): Promise<string> {
    return this.tokens.get(name) ?? this.freshTokenOf(name);
  }

  /** Logs in again and keeps the new token. */
  async freshTokenOf(name: string): Promise<string> {
    const password = this.passwords.get(name) ?? `pw-${name}`;
    const body = { username: name, password };
    const token = String(
      valueAt(await this.call('POST', '/api/auth/login', { body, from: this.ownAddress() }), 'token'),
    );
    this.tokens.set(name, token);
    return token;
  }

  /** Returns the secret of an account that enabled two-factor here. */
  secretOf(name: string): string | undefined {
    return this.secrets.get(name);
  }

  /** Returns the code of a secret, `shift` steps from now. Waits until the current step has three seconds left. */
  async codeOf(secret: string, shift: number): Promise<string> {
    await untilStepHasLeft(ROOM_MS);
    return oneTimeCode(secret, stepOf(Date.now()) + shift);
  }

  /** Creates an account with the role of a user, as the admin. */
  async create(fields: JsonObject): Promise<void> {
    const username = String(fields['username']);
    const password = String(fields['password'] ?? `pw-${username}`);
    this.passwords.set(username, password);
    await this.asAdmin('POST', '/api/admin/user/create', { role: 0, ...fields, password });
  }

  /** Returns the account's object from the admin's list. */
  async find(name: string): Promise<JsonObject> {
    const found = valueAt(await this.asAdmin('GET', '/api/admin/user/list'), 'content');
    const account = (Array.isArray(found) ? found : []).find((item) => valueAt(item, 'username') === name);
    if (!account) throw new Error(`no account named ${name} is listed`);
    return account as JsonObject;
  }

  /** Sends the account's object with some fields changed, as the admin. */
  async edit(name: string, fields: JsonObject): Promise<void> {
    await this.asAdmin('POST', '/api/admin/user/update', { ...(await this.find(name)), ...fields });
  }

  /** Enables two-factor for an account with the code `shift` steps from now. */
  async enrol(name: string, shift: number): Promise<void> {
    const token = await this.tokenOf(name);
    const secret = String(valueAt(await this.call('POST', '/api/auth/2fa/generate', { token }), 'secret'));
    const body = { code: await this.codeOf(secret, shift), secret };
    await this.call('POST', '/api/auth/2fa/verify', { token, body });
    this.secrets.set(name, secret);
  }

  private async asAdmin(method: string, path: string, body?: JsonObject): Promise<Json> {
    return this.call(method, path, { token: await this.tokenOf('admin'), body });
  }

  /** Returns the data of an answer with code 200. Throws on any other code. */
  private async call(
    method: string,
    path: string,
    { token, from, body }: { token?: string; from?: string; body?: JsonObject | undefined },
  ): Promise<Json> {
    const headers = {
      ...(body && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: token }),
    };
    const bytes = body && Buffer.from(JSON.stringify(body));
    const answer = await this.client.send({ method, path, headers, body: bytes, from });
    const envelope = envelopeOf(answer.body);
    if (envelope?.code !== 200) {
      const sent = body ? ` with ${JSON.stringify(body).slice(0, 200)}` : '';
      throw new Error(`${method} ${path}${sent} answered ${answer.status} ${answer.body.slice(0, 300)}`);
    }
    return envelope.data;
  }

  /** Uses addresses that no case uses for the logins between cases. */
  private ownAddress(): string {
    this.logins++;
    return `172.20.${this.logins >> 8}.${this.logins & 255}`;
  }
}

function envelopeOf(body: string): { code: number; data: Json } | undefined {
  try {
    return JSON.parse(body) as { code: number; data: Json };
  } catch {
    return undefined;
  }
}
