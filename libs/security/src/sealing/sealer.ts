import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { assertUniqueIds, SEALING_KEY_BYTES, type SealingKey } from './sealing-keys.js';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const SEALED = /^([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)$/;

/** The sealed text names a key that is not configured. */
export class UnknownSealingKey extends Error {
  override readonly name = 'UnknownSealingKey';

  constructor(readonly keyId: string) {
    super(
      `cannot open a stored secret: its sealing key "${keyId}" is not configured. ` +
        `Add it as "${keyId}:<key>" after the first sealing key`,
    );
  }
}

/** The text is malformed, was altered, or was sealed for another context or with another key of the same id. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';

  constructor(cause?: unknown) {
    super(
      'cannot open a stored secret: it was sealed with another key of this id (restore that key), or the data was altered',
      { cause },
    );
  }
}

/** Returns the id of the key that sealed a text, or undefined if the text is not sealed. */
export const sealingKeyIdOf = (sealed: string): string | undefined => SEALED.exec(sealed)?.[1];

/**
 * Encrypts secrets for the store with AES-256-GCM and a random 96-bit IV (NIST SP 800-38D: fewer than 2^32 secrets per key). The first key
 * seals, and all keys open: to rotate, add a new key in front. The text form is `<key id>.<base64url of iv|ciphertext|tag>`.
 */
export class Sealer {
  private readonly keys: ReadonlyMap<string, Buffer>;
  private readonly first: SealingKey;

  constructor(keys: readonly SealingKey[]) {
    const [first] = keys;
    if (!first) throw new Error('no sealing key is configured: configure at least one');
    if (keys.some(({ key }) => key.length !== SEALING_KEY_BYTES)) throw new Error('a sealing key must have 32 bytes');
    assertUniqueIds(keys);
    this.first = first;
    this.keys = new Map(keys.map(({ id, key }) => [id, key]));
  }

  /** Seals a text. `context` names the secret and its owner, and `open` needs the same context, so that sealed texts cannot be swapped. */
  seal(plain: string, context: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.first.key, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(context));
    const sealed = Buffer.concat([iv, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${this.first.id}.${sealed.toString('base64url')}`;
  }

  /**
   * Seals a sealed text again with the first key. Returns undefined if it has that key already, but checks that it opens.
   *
   * @throws the same as `open`.
   */
  reseal(sealed: string, context: string): string | undefined {
    const plain = this.open(sealed, context);
    return sealingKeyIdOf(sealed) === this.first.id ? undefined : this.seal(plain, context);
  }

  get sealingKeyId(): string {
    return this.first.id;
  }

  /** Derives bytes from the first key that do not reveal it (HKDF, RFC 5869). All processes with the same first key get the same bytes. */
  derive(purpose: string, length: number): Buffer {
    return derived(this.first.key, purpose, length);
  }

  /** Returns what `derive` returns if each of the keys is the first one, in the order of the keys. */
  deriveWithEach(purpose: string, length: number): Buffer[] {
    return [...this.keys.values()].map((key) => derived(key, purpose, length));
  }

  /** Returns `<key id>.<HMAC-SHA256 of a text>`, or undefined if the key is not configured. `purpose` keeps it apart from other uses of the key. */
  hmac(text: string, purpose: string, keyId = this.first.id): string | undefined {
    const key = this.keys.get(keyId);
    if (!key) return undefined;
    return `${keyId}.${createHmac('sha256', derived(key, purpose, SEALING_KEY_BYTES))
      .update(text)
      .digest('base64url')}`;
  }

  /** @throws `UnknownSealingKey` or `SealBroken`. */
  open(sealed: string, context: string): string {
    const [, id = '', body = ''] = SEALED.exec(sealed) ?? [];
    const bytes = Buffer.from(body, 'base64url');
    const isWellFormed = bytes.length >= IV_BYTES + TAG_BYTES && bytes.toString('base64url') === body;
    if (!isWellFormed) throw new SealBroken();
    const key = this.keys.get(id);
    if (!key) throw new UnknownSealingKey(id);
    return decrypt(bytes, key, context);
  }
}

const derived = (key: Buffer, purpose: string, length: number) =>
  Buffer.from(hkdfSync('sha256', key, '', purpose, length));

function decrypt(bytes: Buffer, key: Buffer, context: string): string {
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch (error) {
    throw new SealBroken(error);
  }
}
