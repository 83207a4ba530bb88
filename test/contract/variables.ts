import { createHash, createHmac } from 'node:crypto';
import type { Json, JsonObject, RecordedKeys } from './recording.js';

/** Where the variables get what only a running server tells. */
export interface VariableSources {
  host: string;
  keys: RecordedKeys;
  /** The kept token of an account. */
  tokenOf(account: string): Promise<string>;
  /** The one-time code of an enrolled account or a secret, so many steps from now. */
  codeOf(reference: string, shift: number): Promise<string>;
}

/** The values that steps save, and the `{{…}}` that stand for them and for what can be worked out. */
export class Variables {
  private readonly saved = new Map<string, Json>();

  constructor(private readonly sources: VariableSources) {}

  /** Saves a value under a name; nothing takes the name away. */
  save(name: string, value: Json | undefined): void {
    if (value === undefined) this.saved.delete(name);
    else this.saved.set(name, value);
  }

  /** A saved value by its name, or a field of a saved object as `name.field`. */
  find(name: string): Json | undefined {
    const whole = this.saved.get(name);
    if (whole !== undefined) return whole;
    const dot = name.lastIndexOf('.');
    const owner = this.saved.get(name.slice(0, dot));
    return isObject(owner) ? owner[name.slice(dot + 1)] : undefined;
  }

  /** Replaces the variables of a text; values that are no texts appear as JSON. */
  async text(template: string): Promise<string> {
    let text = '';
    for (const part of template.split(/(\{\{[^{}]+\}\})/)) {
      const value = isVariable(part) ? await this.value(part.slice(2, -2)) : part;
      text += typeof value === 'string' ? value : JSON.stringify(value);
    }
    return text;
  }

  /**
   * Replaces the variables in all texts of a JSON value. A text that is one variable becomes its value with its type;
   * the key `...` spreads a saved object, and keys after it win.
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

/** The hash of a password that clients send instead of it (wire contract 2.1: static hash). */
function staticHash(password: string): string {
  return createHash('sha256').update(`${password}-https://github.com/alist-org/alist`).digest('hex');
}

/** A token with the original's claims, signed with a secret of one's own. */
function forgedToken(username: string, secret: string): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = { username, pwd_ts: 0, exp: now + 172_800, nbf: now, iat: now };
  const content = [{ alg: 'HS256', typ: 'JWT' }, claims].map(base64Json).join('.');
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
}

function base64Json(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function isVariable(text: string): boolean {
  return /^\{\{[^{}]+\}\}$/.test(text);
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
