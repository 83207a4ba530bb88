import { Fault } from '@keyfold/http-envelope';
import type { Holding } from './exchange/relay.js';
import { isTokenKey } from './forwarding-table.js';

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
  const answer = readable(() => JSON.parse(body.toString()) as unknown, fault);
  const tokens = [isRecord(answer) ? answer['data'] : answer]
    .flat()
    .filter(isRecord)
    .filter((item) => fieldsNamed(item, 'key').some((key) => typeof key === 'string' && isTokenKey(key)));
  if (tokens.length === 0) return body;
  const value = await own();
  for (const item of tokens) item['value'] = value;
  return readable(() => Buffer.from(JSON.stringify(answer)), fault);
}

/**
 * Leaves out the setting `token` of a list that is saved. What is sent is what was read here, because the readers take repeated fields differently.
 *
 * @throws Fault 400 for a body that is not a list.
 */
export function withoutToken(body: Buffer): Buffer {
  const fault = () => new Fault(400, 'the body must be a list of settings in JSON');
  const settings = readable(() => JSON.parse(body.toString()) as unknown, fault);
  if (!Array.isArray(settings)) throw fault();
  const isToken = (item: unknown) =>
    isRecord(item) && fieldsNamed(item, 'key').some((key) => typeof key === 'string' && isTokenKey(key));
  // Too deep lists can be read and not written.
  return readable(() => Buffer.from(JSON.stringify(settings.filter((item) => !isToken(item)))), fault);
}

function readable<Result>(read: () => Result, fault: () => Fault): Result {
  try {
    return read();
  } catch {
    throw fault();
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Go matches names of fields whatever their case. */
const fieldsNamed = (item: Record<string, unknown>, name: string): unknown[] =>
  Object.entries(item)
    .filter(([each]) => each.toLowerCase() === name)
    .map(([, value]) => value);
