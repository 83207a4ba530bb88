import { requireHarmlessAddress } from '@keyfold/domain';
import { Fault } from '@keyfold/http-envelope';
import type { Holding } from './exchange/relay.js';
import { isSettingKey } from './forwarding-table.js';

/** In bytes. All settings of OpenList take some 60 KB. */
export const SETTINGS_BYTES = 4_194_304;

/** Holds back the answers that may contain the static token of OpenList. */
export const holdSettings: Holding = ({ status }) => (status === 200 ? SETTINGS_BYTES : undefined);

/**
 * Replaces the value of the setting `token` in an answer of OpenList. `own` returns the value that the client may see.
 *
 * @throws Fault 502 if the answer cannot be read, because it may contain the token.
 */
export async function withOwnToken(body: Buffer, own: () => Promise<string>): Promise<Buffer> {
  const fault = () => new Fault(502, 'the answer of OpenList cannot be read');
  const answer = readJson(body, fault);
  const tokens = [isRecord(answer) ? answer['data'] : answer]
    .flat()
    .filter(isRecord)
    .filter((item) => isSetting(item, 'token'));
  if (tokens.length === 0) return body;
  const value = await own();
  for (const item of tokens) item['value'] = value;
  return readable(() => Buffer.from(JSON.stringify(answer)), fault);
}

/**
 * Returns a list of settings as it may be saved: without the setting `token`, and with `authorization` among the headers that storage providers never get,
 * because it may be the static token. What is sent is what was read here, because the readers take repeated fields differently.
 *
 * @throws Fault 400 for a body that is not a list; DomainError for an address that runs code.
 */
export function safeSettings(body: Buffer): Buffer {
  const fault = () => new Fault(400, 'the body must be a list of settings in JSON');
  const settings = readJson(body, fault);
  if (!Array.isArray(settings)) throw fault();
  const saved = settings.flatMap((item) => (isRecord(item) ? safeSetting(item) : [item]));
  // Too deep lists can be read and not written.
  return readable(() => Buffer.from(JSON.stringify(saved)), fault);
}

function safeSetting(item: Fields): Fields[] {
  if (isSetting(item, 'token')) return [];
  for (const key of fieldsNamed(item, 'key').map(String))
    for (const value of fieldsNamed(item, 'value').map(String)) requireHarmlessAddress(key.trim().toLowerCase(), value);
  if (!isSetting(item, 'proxy_ignore_headers')) return [item];
  const fields = Object.entries(item).map(([name, value]) => [name, isNamed(name, 'value') ? ignoring(value) : value]);
  return [{ value: ignoring(''), ...Object.fromEntries(fields) }];
}

/** OpenList compares the names as they are, without trimming them. */
function ignoring(value: unknown): unknown {
  const headers = value ?? '';
  if (typeof headers !== 'string' || headers.split(',').includes('authorization')) return headers;
  return headers === '' ? 'authorization' : `${headers},authorization`;
}

export const readJson = (body: Buffer, fault: () => Fault): unknown =>
  readable(() => JSON.parse(body.toString()) as unknown, fault);

function readable<Result>(read: () => Result, fault: () => Fault): Result {
  try {
    return read();
  } catch {
    throw fault();
  }
}

export type Fields = Record<string, unknown>;
export const isRecord = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** Go matches names of fields whatever their case. */
const isNamed = (field: string, name: string) => field.toLowerCase() === name;
const fieldsNamed = (item: Fields, name: string): unknown[] =>
  Object.entries(item)
    .filter(([each]) => isNamed(each, name))
    .map(([, value]) => value);

const isSetting = (item: Fields, of: string): boolean =>
  fieldsNamed(item, 'key').some((key) => typeof key === 'string' && isSettingKey(key, of));
