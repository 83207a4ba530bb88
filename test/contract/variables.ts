import { createHmac } from 'node:crypto';
import { staticHash } from '../support/static-hash.js';
import type { Json, JsonObject, RecordedKeys } from './recording.js';

/** The sources of values that only a running server provides. */
export interface VariableSources {
  host: string;
  keys: RecordedKeys;
  /** Returns the token of an account. */
  tokenOf(account: string): Promise<string>;
  /** Returns the one-time code of an enrolled account or a secret, `shift` steps from now. */
  codeOf(reference: string, shift: number): Promise<string>;
}

/** The values that steps save, and the `{{…}}` expressions that use or compute values. */
export class Variables {
  private readonly saved = new Map<string, Json>();

  constructor(private readonly sources: VariableSources) {}

  /** Saves a value under a name, which keeps it. */
  save(name: string, value: Json | undefined): void {
    if (value === undefined) this.saved.delete(name);
    else this.saved.set(name, value);
  }

  /** Returns a saved value, or a field of a saved object for `name.field`. */
  find(name: string): Json | undefined {
    const whole = this.saved.get(name);
    if (whole !== undefined) return whole;
    const dot = name.lastIndexOf('.');
    const owner = this.saved.get(name.slice(0, dot));
    return isObject(owner) ? owner[name.slice(dot + 1)] : undefined;
  }

  /** Replaces the variables of a text. Values other than strings appear as JSON. */
  async text(template: string): Promise<string> {
    let text = '';
    for (const part of template.split(/(\{\{[^{}]+\}\})/)) {
      const value = isVariable(part) ? await this.value(part.slice(2, -2)) : part;
      text += typeof value === 'string' ? value : JSON.stringify(value);
    }
    return text;
  }

  /**
   * Replaces the variables in all strings of a JSON value. A string that is exactly one variable becomes its value,
   * with its type. The key `...` spreads a saved object; later keys win.
   */
  async json(template: Json): Promise<Json> {
    if (typeof template === 'string')
      return isVariable(template) ? this.value(template.slice(2, -2)) : this.text(template);
    if (Array.isArray(template)) return Promise.all(template.map((item) => this.json(item)));
    if (!isObject(template)) return template;
    const filled: JsonObject = {};
    for (const [key, value] of Object.entries(template)) {
      if (key === '...') Object.assign(filled, this.spread(String(value)));
      else filled[key] = await this.json(value);
    }
    return filled;
  }

  private spread(name: string): JsonObject {
    const value = this.find(name);
    if (!isObject(value)) throw new Error(`no saved object named ${name}`);
    return value;
  }

  private async value(expression: string): Promise<Json> {
    const [, kind = '', rest = ''] = /^([a-z]+):(.*)$/s.exec(expression) ?? [];
    switch (kind) {
      case 'token':
        return this.sources.tokenOf(rest);
      case 'hash':
        return staticHash(rest);
      case 'totp': {
        const [, reference = '', shift] = /^(.*):([+-]\d+)$/s.exec(rest) ?? [];
        return this.sources.codeOf(reference, Number(shift));
      }
      case 'key':
        return this.key(rest).text;
      case 'fingerprint':
        return this.key(rest).fingerprint;
      case 'repeat': {
        const [, times, text = ''] = /^(\d+):(.*)$/s.exec(rest) ?? [];
        return text.repeat(Number(times));
      }
      case 'lower':
        return String(this.known(rest)).toLowerCase();
      case 'forged': {
        const [, name = '', secret = ''] = /^(.*):([^:]*)$/s.exec(rest) ?? [];
        return forgedToken(name, secret);
      }
      default:
        return expression === 'host' ? this.sources.host : this.known(expression);
    }
  }

  private known(name: string): Json {
    const value = this.find(name);
    if (value === undefined) throw new Error(`nothing is saved as ${name}`);
    return value;
  }

  private key(name: string): RecordedKeys[string] {
    const key = this.sources.keys[name];
    if (!key) throw new Error(`no key named ${name}`);
    return key;
  }
}

/** Returns a token with the original's claims, signed with another secret. */
function forgedToken(username: string, secret: string): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = { username, pwd_ts: 0, exp: now + 172_800, nbf: now, iat: now };
  const parts = [{ alg: 'HS256', typ: 'JWT' }, claims].map((part) => Buffer.from(JSON.stringify(part)));
  const content = parts.map((part) => part.toString('base64url')).join('.');
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
}

function isVariable(text: string): boolean {
  return /^\{\{[^{}]+\}\}$/.test(text);
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
