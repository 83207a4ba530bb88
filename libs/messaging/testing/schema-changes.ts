import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema } from '../src/public-events/event-schemas.js';

/** Keywords that do not affect validation. */
const ANNOTATIONS = new Set(['$id', '$schema', '$comment', 'title', 'description', 'examples', 'deprecated']);
const COMPARED_SEPARATELY = new Set(['properties', 'required', 'items']);

/**
 * Returns the breaking changes from `earlier` to `later`; none if the change only adds. Considers two kinds of subscribers: those that know
 * `earlier` and receive new data, and those that know `later` and read old data from the log.
 */
export function breaksOf(earlier: JsonSchema, later: JsonSchema, at = 'data'): string[] {
  return [
    ...breaksOfKeywords(earlier, later, at),
    ...breaksOfItems(earlier, later, at),
    ...breaksOfFields(earlier, later, at),
  ];
}

/** Types, limits and formats must not change: wider ones break the first kind, narrower ones the second. */
function breaksOfKeywords(earlier: JsonSchema, later: JsonSchema, at: string): string[] {
  const keywords = new Set([...Object.keys(earlier), ...Object.keys(later)]);
  return [...keywords]
    .filter((keyword) => !ANNOTATIONS.has(keyword) && !COMPARED_SEPARATELY.has(keyword))
    .filter((keyword) => !isDeepStrictEqual(earlier[keyword], later[keyword]))
    .map((keyword) => `${at}: ${keyword} has changed`);
}

function breaksOfItems(earlier: JsonSchema, later: JsonSchema, at: string): string[] {
  const [before, after] = [earlier['items'], later['items']];
  if (before === undefined && after === undefined) return [];
  return breaksOf(asSchema(before), asSchema(after), `${at}[]`);
}

function breaksOfFields(earlier: JsonSchema, later: JsonSchema, at: string): string[] {
  const [before, after] = [fieldsOf(earlier), fieldsOf(later)];
  const [promised, stillPromised] = [requiredOf(earlier), requiredOf(later)];
  return [
    ...Object.keys(before).flatMap((name) =>
      after[name] ? breaksOf(asSchema(before[name]), after[name], `${at}.${name}`) : [`${at}.${name} was removed`],
    ),
    ...promised.filter((name) => !stillPromised.includes(name)).map((name) => `${at}.${name} became optional`),
    ...stillPromised
      .filter((name) => !promised.includes(name))
      .map((name) => `${at}.${name} is missing in older events`),
  ];
}

const asSchema = (value: unknown) => (value ?? {}) as JsonSchema;
const fieldsOf = (schema: JsonSchema) => (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
const requiredOf = (schema: JsonSchema) => (schema['required'] ?? []) as readonly string[];
