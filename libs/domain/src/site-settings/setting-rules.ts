import { DomainError } from '../kernel/domain-error.js';
import { factorySetting } from './factory-settings.js';

/** A static token must be hard to guess, because nothing limits how often it is tried, and must fit into a header as it is. */
const STATIC_TOKEN = /^[\x21-\x7e]{16,1024}$/;
/** A text of this form is taken for an access token, so it would not work as the static token. */
const ACCESS_TOKEN = /^kf_[0-9A-Za-z]{42}$/;
/** Wider than the keys of OpenList, which consist of small letters, digits and underscores, so that no backup is refused. */
const KEY = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;
const WHOLE = /^[+-]?\d{1,40}$/;
const LARGEST_WHOLE = 2n ** 63n - 1n;

/** Normalises the value of a plain setting, or throws the refusal of its rule. Settings without a rule keep what was sent. */
const rules: Readonly<Record<string, (value: string) => string>> = {
  multipart_chunk_size: positiveInteger,
  filename_char_mapping: textMapping,
  search_index: searchIndex,
};

/**
 * Returns the value to store for a plain setting (wire contract 2.8).
 *
 * @throws DomainError if the value is not allowed.
 */
export function normalSettingValue(key: string, value: string): string {
  requireHarmlessAddress(key, value);
  return Object.hasOwn(rules, key) ? rules[key]!(value) : value;
}

/** The settings whose addresses browsers follow or show. The previews have them in JSON. */
const ADDRESSES = ['favicon', 'logo', 'audio_cover', 'external_previews', 'iframe_previews'];
/** Browsers ignore white space and control characters here. An image cannot run code where it is only shown. */
const RUNS_CODE = /^(javascript|vbscript|data(?!:image\/)):/i;

/** Throws `setting-address-unsuitable` if a setting holds an address that runs code when a browser follows it. */
export function requireHarmlessAddress(key: string, value: string): void {
  if (!ADDRESSES.includes(key)) return;
  const addresses = key.endsWith('_previews') ? textsIn(value) : value.split('\n');
  if (addresses.some((each) => RUNS_CODE.test(each.replace(/[\0-\x20]/g, ''))))
    throw new DomainError('setting-address-unsuitable', { quoted: key });
}

function textsIn(json: string): string[] {
  const texts: string[] = [];
  try {
    JSON.parse(json, (_, each: unknown) => void (typeof each === 'string' && texts.push(each)));
  } catch {
    // No client finds an address in a value that is not JSON.
  }
  return texts;
}

/** Throws `static-token-unsuitable` unless the text can be the static token. An empty one would make everybody the administrator. */
export function requireSuitableStaticToken(token: string): void {
  if (!STATIC_TOKEN.test(token) || ACCESS_TOKEN.test(token)) throw new DomainError('static-token-unsuitable');
}

/** Throws `setting-key-invalid` unless the key is known or has the form of a key. */
export function requireSettingKey(key: string): void {
  if (factorySetting(key) === undefined && !KEY.test(key)) throw new DomainError('setting-key-invalid');
}

function positiveInteger(value: string): string {
  const text = value.trim();
  const whole = WHOLE.test(text) ? BigInt(text.replace('+', '')) : 0n;
  if (whole < 1n || whole > LARGEST_WHOLE) throw new DomainError('chunk-size-invalid', { quoted: value });
  return String(whole);
}

function textMapping(value: string): string {
  if (!isTextMapping(value)) throw new DomainError('character-mapping-invalid');
  return value;
}

function isTextMapping(json: string): boolean {
  try {
    const mapping: unknown = JSON.parse(json);
    if (mapping === null) return true;
    const isObject = typeof mapping === 'object' && !Array.isArray(mapping);
    return isObject && Object.values(mapping).every((text) => typeof text === 'string');
  } catch {
    return false;
  }
}

function searchIndex(value: string): string {
  const choices = factorySetting('search_index')!.options.split(',');
  if (!choices.includes(value)) throw new DomainError('search-index-unknown', { quoted: value });
  return value;
}
