import { ValidateBy, type ValidationArguments } from 'class-validator';
import { parseWhole, wholeRanges, type WholeKind } from './whole-number.js';

/** A number of a JSON text as it was written: `1.0` is no integer, and a double cannot hold 64 bits. */
export class WrittenNumber {
  constructor(readonly text: string) {}
}

/** How to read one kind of field. `read` returns a value of the type of `zero`, or undefined if the JSON value has another type. */
export type FieldKind = Readonly<{
  zero: string | boolean | number;
  expected: string;
  read(value: unknown): string | boolean | number | undefined;
}>;

/** A field of a body: the property that stores it, and its name in refusals. */
export type BodyField = Readonly<{ property: string; goName: string; kind: FieldKind }>;

/** `required`: the field must not be missing, null or zero. */
export type FieldOptions = Readonly<{ required?: boolean }>;

/** Sets the Go struct name that refusals quote for this class (wire contract 1.9). The default is the name of the class. */
export function GoStruct(name: string): ClassDecorator {
  return (target) => void structNames.set(target, name);
}

/** Declares a string field. `goName` is its name in refusals. In JSON it has the property's name in snake case: `otpCode` is `otp_code`. */
export function TextField(goName: string, options?: FieldOptions): PropertyDecorator {
  const read = (value: unknown) => (typeof value === 'string' ? value.replace(HALF_PAIRS, '\ufffd') : undefined);
  return bodyField({ zero: '', expected: 'a string', read }, goName, options);
}

/** Escapes that stand for no character. The rest of the unpaired surrogates stands for bytes of malformed UTF-8 (`bodyText`). */
const HALF_PAIRS = /[\ud800-\udc7f\udd00-\udfff]/gu;

/** Declares a boolean field. */
export function FlagField(goName: string, options?: FieldOptions): PropertyDecorator {
  const read = (value: unknown) => (typeof value === 'boolean' ? value : undefined);
  return bodyField({ zero: false, expected: 'true or false', read }, goName, options);
}

/** Declares an integer field. Fractions, exponents and strings are refused. For values beyond 2^53, see {@link parseWhole}. */
export function WholeField(goName: string, whole: WholeKind, options?: FieldOptions): PropertyDecorator {
  const [min, max] = wholeRanges[whole];
  const read = (value: unknown) => {
    if (!(value instanceof WrittenNumber)) return undefined;
    // compat: unsigned kinds accept no sign, not even in -0.
    if (min === 0n && value.text.startsWith('-')) return undefined;
    const parsed = parseWhole(value.text, whole);
    return typeof parsed === 'number' ? parsed : undefined;
  };
  return bodyField({ zero: 0, expected: `an integer from ${min} to ${max}`, read }, goName, options);
}

/** Returns the name that refusals use for a body class. */
export const structName = (dto: object): string => structNames.get(dto) ?? (dto as { name: string }).name;

/** Returns the fields of a body class by their lower-case JSON names, inherited fields first. */
export function fieldsOf(dto: object): ReadonlyMap<string, BodyField> {
  const parent: unknown = Object.getPrototypeOf(dto);
  return fieldsByClass.get(dto) ?? (typeof parent === 'function' ? fieldsOf(parent) : new Map());
}

const structNames = new WeakMap<object, string>();
const fieldsByClass = new WeakMap<object, ReadonlyMap<string, BodyField>>();

function bodyField(kind: FieldKind, goName: string, { required = false }: FieldOptions = {}): PropertyDecorator {
  return (target, key) => {
    const property = String(key);
    const dto = target.constructor;
    fieldsByClass.set(dto, new Map([...fieldsOf(dto), [snakeCase(property), { property, goName, kind }]]));
    if (required) notEmpty(goName, kind)(target, key);
  };
}

function notEmpty(goName: string, { zero }: FieldKind): PropertyDecorator {
  const message = ({ object }: ValidationArguments) =>
    `Key: '${structName(object.constructor)}.${goName}' Error:Field validation for '${goName}' failed on the 'required' tag`;
  return ValidateBy({ name: 'required', validator: { validate: (value) => value !== zero } }, { message });
}

const snakeCase = (property: string) => property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
