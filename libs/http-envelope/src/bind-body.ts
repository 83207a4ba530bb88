import { validateSync } from 'class-validator';
import { checks, fieldsOf, structName } from './body-fields.js';
import { readJsonBody, type JsonValue } from './json-body.js';
import { Refusal } from './refusal.js';

/** A class whose fields carry {@link TextField}, {@link FlagField} or {@link WholeField}. */
export type BodyClass<T extends object> = new () => T;

/**
 * Fills a new `Dto` from a body (wire contract 1.9): names match in any ASCII letter case, unknown ones are ignored, what
 * is missing or null becomes empty, false or 0. Throws nothing but a Refusal 400; wrong types are named before what is
 * missing.
 */
export function bindBody<T extends object>(
  Dto: BodyClass<T>,
  rawBody: Buffer | undefined,
  contentType: string | undefined,
): T {
  const body = fill(Dto, readJsonBody(rawBody, contentType, hasNumbers(Dto) ? 'as written' : 'plain'));
  const problem = problemOf(body);
  if (problem !== undefined) throw new Refusal(400, problem);
  return body;
}

const hasNumbers = (Dto: object) => fieldsOf(Dto).some(({ kind }) => kind.zero === 0);

function fill<T extends object>(Dto: BodyClass<T>, value: JsonValue): T {
  const given = new Map(membersOf(Dto, value));
  const body = new Dto();
  for (const { property, json, kind } of fieldsOf(Dto)) {
    const member = given.get(json) ?? null;
    Reflect.set(body, property, member === null ? kind.zero : kind.read(member));
  }
  return body;
}

/** Later members of a map replace earlier ones, so the last of two spellings wins. */
function membersOf(Dto: BodyClass<object>, value: JsonValue): [string, JsonValue][] {
  if (value === null) return [];
  if (!isJsonObject(value)) throw new Refusal(400, `${structName(Dto)}: expects a JSON object`);
  return Object.entries(value).map(([name, member]) => [asciiLowerCase(name), member]);
}

const isJsonObject = (value: JsonValue): value is { [name: string]: JsonValue } =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

const asciiLowerCase = (name: string) => name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** What is wrong with a filled body, one line for each field; only the first kind of check that finds something speaks. */
function problemOf(body: object): string | undefined {
  for (const check of checks) {
    const errors = validateSync(body, { groups: [check], forbidUnknownValues: false });
    const lines = errors.flatMap(({ constraints = {} }) => Object.values(constraints));
    if (lines.length > 0) return lines.join('\n');
  }
  return undefined;
}
