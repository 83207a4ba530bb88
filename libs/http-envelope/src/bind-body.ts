import { validateSync } from 'class-validator';
import { fieldsOf, structName, WrittenNumber, type BodyField } from './body-fields.js';
import { bodyText } from './body-text.js';
import { inputRefusal, LIST_ITEMS } from './input-refusals.js';
import { Refusal } from './refusal.js';

/** A class whose fields carry {@link TextField}, {@link FlagField} or {@link WholeField}. */
export type BodyClass<T extends object> = new () => T;

/**
 * Fills a new `Dto` from a JSON body (wire contract 1.9). Names match case-insensitively in ASCII, unknown members are ignored,
 * the last duplicate wins, and missing fields become empty, false or 0.
 *
 * @throws Refusal 400 for the first invalid member, or else for all missing required fields.
 */
export function bindBody<T extends object>(
  Dto: BodyClass<T>,
  rawBody: Buffer | undefined,
  contentType: string | undefined,
): T {
  const body = emptyBody(Dto);
  // compat: the original reads any other type as a form. Keyfold does not read forms, so every field stays unset.
  if (isJson(contentType)) fill(body, Dto, parsed(rawBody));
  const missing = missingIn(body);
  if (missing.length > 0) throw new Refusal(400, missing.join('\n'));
  return body;
}

/**
 * Fills one `Dto` for each item of a JSON list, by the rules of {@link bindBody}. `null` is an empty list, and an item `null` an empty item.
 *
 * @throws Refusal 400 for the first invalid item, or else for all items that lack required fields.
 */
export function bindList<T extends object>(
  Dto: BodyClass<T>,
  rawBody: Buffer | undefined,
  contentType: string | undefined,
): T[] {
  const items = isJson(contentType) ? readList(Dto, parsed(rawBody)) : [];
  const failing = items.map(missingIn).filter((missing) => missing.length > 0);
  // compat: the number counts the failing items and is not the place of the item.
  const lines = failing.map((missing, index) => `[${index}]: ${missing.join('\n')}`);
  if (lines.length > 0) throw new Refusal(400, lines.join('\n'));
  return items;
}

function readList<T extends object>(Dto: BodyClass<T>, items: unknown): T[] {
  if (items === null) return [];
  if (!Array.isArray(items)) throw new Refusal(400, `${structName(Dto)}: expected a JSON list`);
  if (items.length > LIST_ITEMS) throw inputRefusal('list-too-long');
  return items.map((item: unknown) => {
    const body = emptyBody(Dto);
    fill(body, Dto, item);
    return body;
  });
}

function emptyBody<T extends object>(Dto: BodyClass<T>): T {
  const body = new Dto();
  for (const { property, kind } of fieldsOf(Dto).values()) Reflect.set(body, property, kind.zero);
  return body;
}

/** compat: the comparison is case-sensitive and ends at the first semicolon or space. */
const isJson = (contentType = '') => /^[^; ]*/.exec(contentType)?.[0] === 'application/json';

/** Maximum number of values in a body, so that it takes at most about ten milliseconds to parse. */
const VALUES = 16 * LIST_ITEMS;

/** Returns the JSON value of a body, with each number as a {@link WrittenNumber}. Refusals quote nothing: the body may contain a password. */
function parsed(bytes: Buffer | undefined): unknown {
  if (bytes === undefined || bytes.length === 0) throw new Refusal(400, 'EOF');
  let values = 0;
  const withSpelling = (_name: string, value: unknown, context?: { source: string }) => {
    values += 1;
    if (values > VALUES) throw new Refusal(400, `the request body has too many values: at most ${VALUES}`);
    return typeof value === 'number' ? new WrittenNumber(context!.source) : value;
  };
  try {
    return JSON.parse(bodyText(bytes).replace(/^\ufeff/, ''), withSpelling);
  } catch (error) {
    if (error instanceof SyntaxError) throw new Refusal(400, 'the request body is not valid JSON');
    // The reviver takes a stack frame for each level.
    if (error instanceof RangeError) throw new Refusal(400, 'the request body is nested too deeply');
    throw error;
  }
}

function fill(body: object, Dto: BodyClass<object>, value: unknown): void {
  if (value === null) return;
  if (typeof value !== 'object' || Array.isArray(value) || value instanceof WrittenNumber) {
    throw new Refusal(400, `${structName(Dto)}: expected a JSON object`);
  }
  const fields = fieldsOf(Dto);
  for (const [name, member] of Object.entries(value)) {
    const field = fields.get(name) ?? fields.get(asciiLowerCase(name));
    if (field) fillField(body, field, member);
  }
}

const asciiLowerCase = (name: string) => name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

function fillField(body: object, { property, goName, kind }: BodyField, member: unknown): void {
  // compat: null empties a text, but a flag or a number keeps the value of an earlier member.
  if (member === null && kind.zero !== '') return;
  const value = member === null ? kind.zero : kind.read(member);
  if (value === undefined) {
    throw new Refusal(400, `${structName(body.constructor)}.${goName}: expected ${kind.expected}`);
  }
  Reflect.set(body, property, value);
}

/** Returns one line for each required field that is empty. */
function missingIn(body: object): string[] {
  const errors = validateSync(body, { forbidUnknownValues: false });
  return errors.flatMap(({ constraints = {} }) => Object.values(constraints));
}
