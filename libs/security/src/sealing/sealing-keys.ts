import { randomBytes } from 'node:crypto';
import { weaknessOf } from '../passwords/guessable-secrets.js';

/** A key for the sealer. `id` is part of every sealed text, `key` has 32 bytes. */
export type SealingKey = Readonly<{ id: string; key: Buffer }>;

export const SEALING_KEY_BYTES = 32;
const ID = /^[A-Za-z0-9_-]{1,32}$/;
const HOW_TO_GENERATE = 'generate one with "openssl rand -base64 32"';

/**
 * Parses `id:key,id:key`, where a key is 32 bytes in base64, base64url or hex.
 *
 * @throws Error that names the invalid entry by its number only, because the text is secret.
 */
export function parseSealingKeys(text: string): SealingKey[] {
  const keys = text.split(',').map((entry, index) => parseEntry(entry.trim(), index + 1));
  assertUniqueIds(keys);
  return keys;
}

/** Throws if the first key can be guessed. Accepts weak keys after it, because the texts that they sealed must be opened to be resealed. */
export function requireStrongSealingKey([first]: readonly SealingKey[]): void {
  const weakness = first && weaknessOf(first.key);
  if (weakness === undefined) return;
  throw new Error(
    `sealing key 1 ${weakness} and can be guessed: put a new key before it (${HOW_TO_GENERATE}), then run "keyfold secrets reseal"`,
  );
}

/** Returns a new random key with this id, in the form that `parseSealingKeys` reads. */
export function newSealingKeyText(id: string): string {
  if (!ID.test(id)) throw new Error('invalid id for a sealing key: use 1 to 32 letters, digits, "_" or "-"');
  return `${id}:${randomBytes(SEALING_KEY_BYTES).toString('base64')}`;
}

/** Throws if two keys share an id, because a sealed text must name exactly one key. */
export function assertUniqueIds(keys: readonly SealingKey[]): void {
  const ids = keys.map(({ id }) => id);
  const second = ids.findIndex((id, index) => ids.indexOf(id) < index);
  if (second < 0) return;
  const first = ids.indexOf(ids[second] ?? '');
  throw new Error(`sealing keys ${first + 1} and ${second + 1} have the same id: give each key its own id`);
}

function parseEntry(entry: string, number: number): SealingKey {
  if (entry === '') throw new Error(`sealing key ${number} is empty: write it as id:key; ${HOW_TO_GENERATE}`);
  const colon = entry.indexOf(':');
  if (colon < 0) throw new Error(`sealing key ${number} has no id: write it as id:key, such as k1:<key>`);
  const id = entry.slice(0, colon);
  if (!ID.test(id)) {
    throw new Error(
      `the id of sealing key ${number} is invalid: use 1 to 32 letters, digits, "_" or "-" before the colon`,
    );
  }
  const key = decodeKey(entry.slice(colon + 1));
  if (!key) throw new Error(`sealing key ${number} is not 32 bytes in base64, base64url or hex: ${HOW_TO_GENERATE}`);
  return { id, key };
}

function decodeKey(text: string): Buffer | undefined {
  if (/^[0-9A-Fa-f]{64}$/.test(text)) return Buffer.from(text, 'hex');
  // 43 characters encode 32 bytes in both alphabets, and Node decodes both as base64.
  if (/^(?:[A-Za-z0-9+/]{43}|[A-Za-z0-9_-]{43})=?$/.test(text)) return Buffer.from(text, 'base64');
  return undefined;
}
