import { ValidateBy, type ValidationArguments } from 'class-validator';
import type { JsonReader } from './json-reader.js';
import { parseWhole, wholeRanges, type WholeKind } from './whole-number.js';

/** How a field of a body is read: `take` gives a value of the type of `zero`, undefined when the next one does not fit. */
export type FieldKind = Readonly<{
  zero: string | boolean | number;
  expects: string;
  take(reader: JsonReader): string | boolean | number | undefined;
}>;

/** A field of a body: the property that takes it, and its name in refusals. */
export type BodyField = Readonly<{ property: string; goName: string; kind: FieldKind }>;

/** A field that must not be missing, null or zero has `required`. */
export type FieldOptions = Readonly<{ required?: boolean }>;

/**
 * Names the Go struct that a body stands for, because refusals quote it (wire contract 1.9). Without it the name of the
 * class is used.
 */
export function GoStruct(name: string): ClassDecorator {
  return (target) => void structNames.set(target, name);
}

/** A text. `goName` is the field's name in refusals; in JSON it has the name of the property, `otpCode` as `otp_code`. */
export function TextField(goName: string, options?: FieldOptions): PropertyDecorator {
  return bodyField({ zero: '', expects: 'a text', take: (reader) => reader.takeText() }, goName, options);
}

/** True or false. */
export function FlagField(goName: string, options?: FieldOptions): PropertyDecorator {
  return bodyField({ zero: false, expects: 'true or false', take: (reader) => reader.takeFlag() }, goName, options);
}

/** A whole number of that kind; fractions, exponents and texts are refused. Beyond 2^53 see {@link parseWhole}. */
export function WholeField(goName: string, whole: WholeKind, options?: FieldOptions): PropertyDecorator {
  const [min, max] = wholeRanges[whole];
  const take = (reader: JsonReader) => {
    const written = reader.takeWhole();
    // compat: a kind without negative numbers has no sign either, not even for -0.
    if (written === undefined || (min === 0n && written.startsWith('-'))) return undefined;
    const value = parseWhole(written, whole);
    return typeof value === 'number' ? value : undefined;
  };
  return bodyField({ zero: 0, expects: `a whole number from ${min} to ${max}`, take }, goName, options);
}

/** The name of a body's struct in refusals. */
export const structName = (dto: object): string => structNames.get(dto) ?? (dto as { name: string }).name;

/** The fields of a body by their names in JSON, in small letters; those of the class that it extends come first. */
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
