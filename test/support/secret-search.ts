/**
 * Shorter secrets are one-time codes. They match whole numbers only, because six digits also occur in longer numbers.
 */
const SHORT = 8;

/** Searches text for secrets, in every encoding in which they may leak. */
export class SecretSearch {
  readonly #forms = new Map<string, (text: string) => boolean>();

  get size(): number {
    return this.#forms.size;
  }

  /** Adds a text secret, with its base64, base64url, hexadecimal and URL-encoded forms. */
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

  /** Adds a binary secret, in base64, base64url and hexadecimal. */
  addBytes(name: string, secret: Buffer): void {
    this.#search(`${name}, in base64`, unpadded(secret.toString('base64')));
    this.#search(`${name}, in base64url`, unpadded(secret.toString('base64url')));
    for (const hex of [secret.toString('hex'), secret.toString('hex').toUpperCase()])
      this.#search(`${name}, in hexadecimal${hex === secret.toString('hex') ? '' : ' capitals'}`, hex);
  }

  /** Returns the names of the secrets that a text contains. */
  foundIn(text: string): string[] {
    return [...this.#forms].filter(([, standsIn]) => standsIn(text)).map(([name]) => name);
  }

  #search(name: string, form: string): void {
    this.#forms.set(name, (text) => text.includes(form));
  }
}

/** Drops the last character, because in a longer text it depends on what follows the secret. */
const unpadded = (encoded: string) => encoded.replace(/=+$/, '').slice(0, -1);
