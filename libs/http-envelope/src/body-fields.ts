import { ValidateBy, type ValidationArguments } from 'class-validator';
import { JsonNumber, type JsonValue } from './json-body.js';
import { parseWhole, wholeRanges, type WholeKind } from './whole-number.js';

/** How a field of a body is read: `read` gives a value of the type of `zero`, or anything else when it does not fit. */
export type FieldKind = Readonly<{ zero: string | boolean | number; expects: string; read(value: JsonValue): unknown }>;

/** A field of a body: the property that takes it and its name in JSON, in small letters. */
export type BodyField = Readonly<{ property: string; json: string; kind: FieldKind }>;

/** A field that must not be missing, null or zero has `required`. */
export type FieldOptions = Readonly<{ required?: boolean }>;

/** The order of checks: every type, then what is required (wire contract 1.9). */
export const checks = ['type', 'required'] as const;

/**
 * Names the Go struct that a body stands for, because refusals quote it (wire contract 1.9). Without it the name of the
 * class is used.
 */
export function GoStruct(name: string): ClassDecorator {
  return (target) => void structNames.set(target, name);
}

/** A text. `goName` is the field's name in refusals; in JSON it has the name of the property, `otpCode` as `otp_code`. */
export function TextField(goName: string, options?: FieldOptions): PropertyDecorator {
  return bodyField(goName, { zero: '', expects: 'a text', read: (value) => value }, options);
}

/** True or false. */
export function FlagField(goName: string, options?: FieldOptions): PropertyDecorator {
  return bodyField(goName, { zero: false, expects: 'true or false', read: (value) => value }, options);
}

/** A whole number of that kind; fractions, exponents and texts are refused. Beyond 2^53 see {@link parseWhole}. */
export function WholeField(goName: string, whole: WholeKind, options?: FieldOptions): PropertyDecorator {
  const [min, max] = wholeRanges[whole];
  const read = (value: JsonValue) => (value instanceof JsonNumber ? parseWhole(value.source, whole) : undefined);
  return bodyField(goName, { zero: 0, expects: `a whole number from ${min} to ${max}`, read }, options);
}

/** The name of a body's struct in refusals. */
export const structName = (dto: object): string => structNames.get(dto) ?? (dto as { name: string }).name;

/** The fields of a body, those of the class that it extends first. */
export function fieldsOf(dto: object): BodyField[] {
  const parent: unknown = Object.getPrototypeOf(dto);
  return [...(typeof parent === 'function' ? fieldsOf(parent) : []), ...(fieldsByClass.get(dto) ?? [])];
}

const structNames = new WeakMap<object, string>();
const fieldsByClass = new WeakMap<object, BodyField[]>();

function bodyField(goName: string, kind: FieldKind, { required = false }: FieldOptions = {}): PropertyDecorator {
  return (target, property) => {
    const field = { property: String(property), json: snakeCase(String(property)), kind };
    fieldsByClass.set(target.constructor, [...(fieldsByClass.get(target.constructor) ?? []), field]);
    check('type', (value) => typeof value === typeof kind.zero, typeText(goName, kind))(target, property);
    if (required) check('required', (value) => value !== kind.zero, requiredText(goName))(target, property);
  };
}

type Text = (struct: string) => string;

const typeText =
  (goName: string, { expects }: FieldKind): Text =>
  (struct) =>
    `${struct}.${goName}: expects ${expects}`;

const requiredText =
  (goName: string): Text =>
  (struct) =>
    `Key: '${struct}.${goName}' Error:Field validation for '${goName}' failed on the 'required' tag`;

function check(name: (typeof checks)[number], validate: (value: unknown) => boolean, text: Text): PropertyDecorator {
  const message = ({ object }: ValidationArguments) => text(structName(object.constructor));
  return ValidateBy({ name, validator: { validate } }, { groups: [name], message });
}

const snakeCase = (property: string) => property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
