import { validateSync } from 'class-validator';
import { fieldsOf, structName, type BodyField } from './body-fields.js';
import { bodyText } from './body-text.js';
import { JsonReader } from './json-reader.js';
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
  if (isJson(contentType)) fill(body, Dto, readerOf(rawBody));
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
  const items = isJson(contentType) ? readList(Dto, readerOf(rawBody)) : [];
  const failing = items.map(missingIn).filter((missing) => missing.length > 0);
  // compat: the number counts the failing items and is not the place of the item.
  const lines = failing.map((missing, index) => `[${index}]: ${missing.join('\n')}`);
  if (lines.length > 0) throw new Refusal(400, lines.join('\n'));
  return items;
}

function readList<T extends object>(Dto: BodyClass<T>, reader: JsonReader): T[] {
  if (reader.takeNull()) return [];
  const items: T[] = [];
  const isList = reader.takeList(() => {
    if (items.length === LIST_ITEMS) throw inputRefusal('list-too-long');
    const item = emptyBody(Dto);
    fill(item, Dto, reader);
    items.push(item);
  });
  if (isList) return items;
  reader.skipValue();
  throw new Refusal(400, `${structName(Dto)}: expected a JSON list`);
}

function emptyBody<T extends object>(Dto: BodyClass<T>): T {
  const body = new Dto();
  for (const { property, kind } of fieldsOf(Dto).values()) Reflect.set(body, property, kind.zero);
  return body;
}

/** compat: the comparison is case-sensitive and ends at the first semicolon or space. */
const isJson = (contentType = '') => /^[^; ]*/.exec(contentType)?.[0] === 'application/json';

function readerOf(bytes: Buffer | undefined): JsonReader {
  if (bytes === undefined || bytes.length === 0) throw new Refusal(400, 'EOF');
  const text = bodyText(bytes);
  const reader = new JsonReader(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  if (reader.isAtEnd()) throw new Refusal(400, 'the request body is blank: expected a JSON value');
  return reader;
}

const BYTE_ORDER_MARK = '\ufeff';

function fill(body: object, Dto: BodyClass<object>, reader: JsonReader): void {
  if (reader.takeNull()) return;
  const fields = fieldsOf(Dto);
  const isObject = reader.takeObject((name) => {
    const field = fields.get(name) ?? fields.get(asciiLowerCase(name));
    if (field === undefined) reader.skipValue();
    else fillField(body, field, reader);
  });
  if (isObject) return;
  reader.skipValue();
  throw new Refusal(400, `${structName(Dto)}: expected a JSON object`);
}

const asciiLowerCase = (name: string) => name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

function fillField(body: object, { property, goName, kind }: BodyField, reader: JsonReader): void {
  const isNull = reader.takeNull();
  // compat: null empties a text, but a flag or a number keeps the value of an earlier member.
  if (isNull && kind.zero !== '') return;
  const value = isNull ? kind.zero : kind.take(reader);
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
