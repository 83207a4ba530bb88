/** A short secret is one-time codes' alone: six digits stand in other numbers, too. */
const SHORT = 8;

/** Secrets of a run by name, in every form in which one may leak, to be searched for. */
export class SecretSearch {
  readonly #forms = new Map<string, (text: string) => boolean>();

  get size(): number {
    return this.#forms.size;
  }

  /** A secret that is a text: also in base64, in base64url, in hexadecimal and escaped for an address. */
  add(name: string, secret: string): void {
    if (secret === '') throw new Error(`${name} is empty`);
    if (secret.length < SHORT) {
      const alone = new RegExp(`(?<![0-9A-Za-z+/_-])${secret}(?![0-9A-Za-z+/_-])`);
      this.#forms.set(name, (text) => alone.test(text));
      return;
    }
    this.#search(name, secret);
    this.addBytes(name, Buffer.from(secret));
    if (encodeURIComponent(secret) !== secret) this.#search(`${name}, escaped`, encodeURIComponent(secret));
  }

  /** A secret that is bytes: in base64, in base64url and in hexadecimal. */
  addBytes(name: string, secret: Buffer): void {
    this.#search(`${name}, in base64`, unpadded(secret.toString('base64')));
    this.#search(`${name}, in base64url`, unpadded(secret.toString('base64url')));
    for (const hex of [secret.toString('hex'), secret.toString('hex').toUpperCase()])
      this.#search(`${name}, in hexadecimal${hex === secret.toString('hex') ? '' : ' capitals'}`, hex);
  }

  /** The names of the secrets that stand in a text. */
  foundIn(text: string): string[] {
    return [...this.#forms].filter(([, standsIn]) => standsIn(text)).map(([name]) => name);
  }

  #search(name: string, form: string): void {
    this.#forms.set(name, (text) => text.includes(form));
  }
}

/** What follows the secret in a longer text changes its last characters. */
const unpadded = (encoded: string) => encoded.replace(/=+$/, '').slice(0, -1);
