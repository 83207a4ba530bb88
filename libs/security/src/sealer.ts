import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { assertUniqueIds, SEALING_KEY_BYTES, type SealingKey } from './sealing-keys.js';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const SEALED = /^([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)$/;

/** The text names a key that is not configured. */
export class UnknownSealingKey extends Error {
  override readonly name = 'UnknownSealingKey';

  constructor(readonly keyId: string) {
    super(
      `a stored secret was sealed with the key "${keyId}", which is not among the sealing keys: ` +
        `add it again as "${keyId}:<key>" behind the first one`,
    );
  }
}

/** The text is no sealed text, was changed, or was sealed with another key of this id or for another context. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';

  constructor(cause?: unknown) {
    super(
      'a stored secret cannot be opened: the sealing key is not the one it was sealed with (restore that key), or the data was changed',
      { cause },
    );
  }
}

/** The id of the key that a text was sealed with; undefined for a text that is not sealed. */
export const sealingKeyIdOf = (sealed: string): string | undefined => SEALED.exec(sealed)?.[1];

/**
 * Keeps secrets unreadable in the store: AES-256-GCM under a random 96-bit IV (NIST SP 800-38D: below 2^32 secrets a key). The first
 * key seals, all open, so a new key is put in front and the old ones stay. Text form: `<key id>.<base64url of iv|ciphertext|tag>`.
 */
export class Sealer {
  private readonly keys: ReadonlyMap<string, Buffer>;
  private readonly first: SealingKey;

  constructor(keys: readonly SealingKey[]) {
    const [first] = keys;
    if (!first) throw new Error('there is no sealing key: configure at least one');
    if (keys.some(({ key }) => key.length !== SEALING_KEY_BYTES)) throw new Error('a sealing key must have 32 bytes');
    assertUniqueIds(keys);
    this.first = first;
    this.keys = new Map(keys.map(({ id, key }) => [id, key]));
  }

  /** `context` says what and whose the secret is; the same text is needed to open it, so that sealed texts cannot be swapped. */
  seal(plain: string, context: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.first.key, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(context));
    const sealed = Buffer.concat([iv, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${this.first.id}.${sealed.toString('base64url')}`;
  }

  /** Seals an already sealed secret with the first key; undefined when it has that key. Opens it in any case. Throws like `open`. */
  reseal(sealed: string, context: string): string | undefined {
    const plain = this.open(sealed, context);
    return sealingKeyIdOf(sealed) === this.first.id ? undefined : this.seal(plain, context);
  }

  /** The id of the key that seals. */
  get sealingKeyId(): string {
    return this.first.id;
  }

  /** Bytes that every process with the same first key gets alike, and that tell nothing of the key (HKDF, RFC 5869). */
  derive(purpose: string, length: number): Buffer {
    return Buffer.from(hkdfSync('sha256', this.first.key, '', purpose, length));
  }

  /** Throws `UnknownSealingKey` or `SealBroken`. */
  open(sealed: string, context: string): string {
    const [, id = '', body = ''] = SEALED.exec(sealed) ?? [];
    const bytes = Buffer.from(body, 'base64url');
    const isOneOfOurs = bytes.length >= IV_BYTES + TAG_BYTES && bytes.toString('base64url') === body;
    if (!isOneOfOurs) throw new SealBroken();
    const key = this.keys.get(id);
    if (!key) throw new UnknownSealingKey(id);
    return decrypt(bytes, key, context);
  }
}

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
