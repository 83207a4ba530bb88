import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema } from '../src/public-events/event-schemas.js';

/** Words for people; they change nothing about which data fit. */
const ANNOTATIONS = new Set(['$id', '$schema', '$comment', 'title', 'description', 'examples', 'deprecated']);
const COMPARED_APART = new Set(['properties', 'required', 'items']);

/**
 * What a subscriber would not survive when `later` takes the place of `earlier`; empty when the change only adds. Two of them count:
 * one who knows `earlier` and is sent new data, and one who knows `later` and reads old data from the log.
 */
export function breaksOf(earlier: JsonSchema, later: JsonSchema, at = 'data'): string[] {
  return [
    ...breaksOfKeywords(earlier, later, at),
    ...breaksOfItems(earlier, later, at),
    ...breaksOfFields(earlier, later, at),
  ];
}

/** Types, limits, formats and the rest stay as they are: wider ones surprise the first reader, narrower ones the second. */
function breaksOfKeywords(earlier: JsonSchema, later: JsonSchema, at: string): string[] {
  const keywords = new Set([...Object.keys(earlier), ...Object.keys(later)]);
  return [...keywords]
    .filter((keyword) => !ANNOTATIONS.has(keyword) && !COMPARED_APART.has(keyword))
    .filter((keyword) => !isDeepStrictEqual(earlier[keyword], later[keyword]))
    .map((keyword) => `${at}: ${keyword} is another`);
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
      after[name] ? breaksOf(asSchema(before[name]), after[name], `${at}.${name}`) : [`${at}.${name} is gone`],
    ),
    ...promised.filter((name) => !stillPromised.includes(name)).map((name) => `${at}.${name} may be absent now`),
    ...stillPromised.filter((name) => !promised.includes(name)).map((name) => `${at}.${name} is not in older events`),
  ];
}

const asSchema = (value: unknown) => (value ?? {}) as JsonSchema;
const fieldsOf = (schema: JsonSchema) => (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
const requiredOf = (schema: JsonSchema) => (schema['required'] ?? []) as readonly string[];
