import { bodyText, parseWhole, wholeRanges, type WholeKind } from '../go-text.js';
import { Refusal } from '../refusal.js';
import { inputRefusal, LIST_ITEMS } from './input-refusals.js';

/** A number of a JSON text as it was written: `1.0` is no integer, and a double cannot hold 64 bits. */
class WrittenNumber {
  constructor(readonly text: string) {}
}

/** How to read one kind of field. `read` returns a value of the type of `zero`, or undefined if the JSON value has another type. */
type FieldKind = Readonly<{
  zero: string | boolean | number;
  expected: string;
  read(value: unknown): string | boolean | number | undefined;
}>;

/** `required`: the field must not be missing, null or empty. */
type FieldOptions = Readonly<{ required?: boolean }>;

/** A field of a body: the property that stores it, and its name in refusals. */
type BodyField = Required<FieldOptions> & Readonly<{ property: string; goName: string; kind: FieldKind }>;

/** Sets the Go struct name that refusals quote for this class (wire contract 1.9). The default is the name of the class. */
export function GoStruct(name: string): ClassDecorator {
  return (target) => void structNames.set(target, name);
}

/** Declares a string field. `goName` is its name in refusals. Its name in JSON is `jsonName`. */
export function TextField(goName: string, options?: FieldOptions): PropertyDecorator {
  const read = (value: unknown) => (typeof value === 'string' ? value.replace(HALF_PAIRS, '\ufffd') : undefined);
  return bodyField({ zero: '', expected: 'a string', read }, goName, options);
}

/** Escapes that stand for no character. The rest of the unpaired surrogates stands for bytes of malformed UTF-8 (`bodyText`). */
const HALF_PAIRS = /[\ud800-\udc7f\udd00-\udfff]/gu;

export function FlagField(goName: string): PropertyDecorator {
  const read = (value: unknown) => (typeof value === 'boolean' ? value : undefined);
  return bodyField({ zero: false, expected: 'true or false', read }, goName);
}

/** Declares an integer field. Fractions, exponents and strings are refused. For values beyond 2^53, see `parseWhole`. */
export function WholeField(goName: string, whole: WholeKind): PropertyDecorator {
  const [min, max] = wholeRanges[whole];
  const read = (value: unknown) => {
    if (!(value instanceof WrittenNumber)) return undefined;
    // compat: unsigned kinds accept no sign, not even in -0.
    if (min === 0n && value.text.startsWith('-')) return undefined;
    const parsed = parseWhole(value.text, whole);
    return typeof parsed === 'number' ? parsed : undefined;
  };
  return bodyField({ zero: 0, expected: `an integer from ${min} to ${max}`, read }, goName);
}

const structName = (dto: object): string => structNames.get(dto) ?? (dto as { name: string }).name;

/** Returns the fields of a body class by their lower-case JSON names, inherited fields first. */
function fieldsOf(dto: object): ReadonlyMap<string, BodyField> {
  const parent: unknown = Object.getPrototypeOf(dto);
  return fieldsByClass.get(dto) ?? (typeof parent === 'function' ? fieldsOf(parent) : new Map());
}

const structNames = new WeakMap<object, string>();
const fieldsByClass = new WeakMap<object, ReadonlyMap<string, BodyField>>();

function bodyField(kind: FieldKind, goName: string, { required = false }: FieldOptions = {}): PropertyDecorator {
  return (target, key) => {
    const property = String(key);
    const dto = target.constructor;
    fieldsByClass.set(dto, new Map([...fieldsOf(dto), [jsonName(property), { property, goName, kind, required }]]));
  };
}

/** Returns the name that a field has in JSON: `otpCode` is `otp_code`. */
export const jsonName = (property: string): string =>
  property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A class whose fields carry `TextField`, `FlagField` or `WholeField`. */
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
  const missing = missingIn(body, Dto);
  if (missing.length > 0) throw new Refusal(400, missing.join('\n'));
  return body;
}

/**
 * Fills one `Dto` for each item of a JSON list, by the rules of `bindBody`. `null` is an empty list, and an item `null` an empty item.
 *
 * @throws Refusal 400 for the first invalid item, or else for all items that lack required fields.
 */
export function bindList<T extends object>(
  Dto: BodyClass<T>,
  rawBody: Buffer | undefined,
  contentType: string | undefined,
): T[] {
  const items = isJson(contentType) ? readList(Dto, parsed(rawBody)) : [];
  const failing = items.map((item) => missingIn(item, Dto)).filter((missing) => missing.length > 0);
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
export const VALUES = 16 * LIST_ITEMS;

/** Returns the JSON value of a body, with each number as a `WrittenNumber`. Refusals quote nothing: the body may contain a password. */
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
function missingIn(body: object, Dto: BodyClass<object>): string[] {
  return [...fieldsOf(Dto).values()]
    .filter(({ property, kind, required }) => required && Reflect.get(body, property) === kind.zero)
    .map(
      ({ goName }) =>
        `Key: '${structName(Dto)}.${goName}' Error:Field validation for '${goName}' failed on the 'required' tag`,
    );
}
