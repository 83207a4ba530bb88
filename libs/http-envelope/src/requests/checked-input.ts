import { ValidateBy, validateSync } from 'class-validator';
import { isUtf8 } from 'node:buffer';
import { Refusal } from '../refusal.js';
import { AN_INSTANT, FIELDS, inputRefusal } from './input-refusals.js';
import type { QueryParameters } from './query-parameters.js';

/**
 * A class whose properties are the fields of a body or query, under the same names. Each needs an initial value, which is its default, and
 * decorators of class-validator.
 */
export type InputClass<T extends object> = new () => T;

/**
 * Reads the JSON object in the body of a route that OpenList does not have. Unlike `bindBody`, it refuses unknown fields: a mistyped
 * `expires` must not create a token that never expires.
 *
 * @throws Refusal 400 with a line for each field that is missing, wrong or unknown.
 */
export function checkedBody<T extends object>(
  Input: InputClass<T>,
  rawBody: Buffer | undefined,
  contentType: string | undefined,
): T {
  return checked(Input, fieldsOf(rawBody, contentType));
}

/**
 * Reads the JSON object that another program sends, and ignores the fields that the class does not have: a later version of the program may
 * send more.
 *
 * @throws Refusal 400 with a line for each field that is missing or wrong.
 */
export function checkedKnownFields<T extends object>(
  Input: InputClass<T>,
  rawBody: Buffer | undefined,
  contentType: string | undefined,
): T {
  const known = new Input();
  return checked(
    Input,
    fieldsOf(rawBody, contentType).filter(([name]) => Object.hasOwn(known, name)),
  );
}

function fieldsOf(rawBody: Buffer | undefined, contentType: string | undefined): [string, unknown][] {
  const body = isJson(contentType) ? parsed(rawBody) : undefined;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw inputRefusal('body-unreadable');
  return Object.entries(body);
}

/**
 * Reads the query of a route that OpenList does not have. Each field is a text, and the first of several values counts.
 *
 * @throws Refusal 400 with a line for each field that is missing, wrong or unknown.
 */
export function checkedQuery<T extends object>(Input: InputClass<T>, query: QueryParameters): T {
  if (query.error !== undefined) throw new Refusal(400, query.error);
  return checked(Input, [...query.entries()]);
}

/** RFC 9110: the type is case-insensitive, and parameters may follow. */
const isJson = (contentType = '') => /^application\/json\s*(;|$)/i.test(contentType);

function parsed(bytes: Buffer = Buffer.alloc(0)): unknown {
  if (!isUtf8(bytes)) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

function checked<T extends object>(Input: InputClass<T>, fields: readonly (readonly [string, unknown])[]): T {
  if (fields.length > FIELDS) throw inputRefusal('too-many-fields');
  const input = new Input();
  // Only known fields are copied, because a field such as `__proto__` would change the object itself.
  const known = fields.filter(([name]) => Object.hasOwn(input, name));
  const unknown = fields.filter(([name]) => !Object.hasOwn(input, name));
  for (const [name, value] of known) Reflect.set(input, name, value);
  const malformed = known.filter(([, value]) => !isWellFormed(value)).map(([name]) => name);
  const wrong = validateSync(input, { stopAtFirstError: true, forbidUnknownValues: false });
  const lines = [
    ...wrong.flatMap(({ constraints = {} }) => Object.values(constraints)),
    ...malformed.map((name) => `${name} contains half of a surrogate pair`),
    ...unknown.map(([name]) => `unknown field ${JSON.stringify(name.slice(0, SHOWN_LETTERS))}`),
  ];
  if (lines.length > 0) throw new Refusal(400, lines.join('\n'));
  return input;
}

/** The stores keep texts as UTF-8, which has no unpaired surrogates. */
const isWellFormed = (value: unknown): boolean =>
  Array.isArray(value) ? value.every(isWellFormed) : typeof value !== 'string' || value.isWellFormed();

/** Number of letters that a refusal quotes of an unknown name. */
const SHOWN_LETTERS = 100;

/** Declares a field of a checked input that is an RFC 3339 time. Read it with `instantOf`. */
export const IsInstant = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'instant',
      validator: { validate: (value) => typeof value === 'string' && instantOf(value) !== undefined },
    },
    { message: `$property must be ${AN_INSTANT}` },
  );

const RFC_3339 = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i;

/** Returns the unix milliseconds of an RFC 3339 time; undefined for any other text and for a day that does not exist. */
export function instantOf(text: string): number | undefined {
  const [, day] = RFC_3339.exec(text) ?? [];
  const at = Date.parse(text.toUpperCase());
  // Date.parse moves February 30 into March.
  const isRealDay = day !== undefined && new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day);
  return isRealDay && !Number.isNaN(at) ? at : undefined;
}
