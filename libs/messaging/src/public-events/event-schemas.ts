import { z } from 'zod';
import registered from '../../schemas/account/registered/1.0.0.json' with { type: 'json' };
import { definitionOf, publicEventTypes, type PublicEventType } from './public-events.js';

/** A JSON Schema, 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Earlier schemas by path. When you raise a version, import the file that was released before and list it here. */
const earlierSchemas: Readonly<Record<string, JsonSchema>> = {
  '/schemas/account.registered/1.0.0.json': registered,
};

/** Converts a zod schema to JSON Schema for readers, who must accept unknown fields. */
export const jsonSchemaOf = (schema: z.ZodType): JsonSchema => z.toJSONSchema(schema, { override: forReaders });

/** Returns the latest schema of an event's data, with the sample as its example. */
export function schemaOfEvent(type: PublicEventType): JsonSchema {
  const { title, when, data, sample } = definitionOf(type);
  const { $schema, ...schema } = jsonSchemaOf(data);
  return { $schema, $id: schemaUriOf(type), title, description: when, ...schema, examples: [sample.data] };
}

/** Prepares a schema for embedding: removes `$schema` and `$id`, since the document defines the dialect. */
export function payloadOf(schema: JsonSchema): JsonSchema {
  const { $schema: _, $id: __, ...payload } = schema;
  return payload;
}

/** Returns the path at which every gateway permanently serves this version of the schema. */
export const schemaPathOf = (type: PublicEventType) => `/schemas/${type}/${definitionOf(type).version}.json`;

/**
 * Returns the URI of the latest schema. CloudEvents requires an absolute URI, and an event must not depend on the address of a gateway, so
 * the part after `keyfold:` is the path on any gateway.
 */
export const schemaUriOf = (type: PublicEventType) => `keyfold:${schemaPathOf(type)}`;

/** Returns every released schema by its path. */
export const releasedSchemas = (): ReadonlyMap<string, JsonSchema> =>
  new Map([
    ...Object.entries(earlierSchemas),
    ...publicEventTypes.map((type) => [schemaPathOf(type), schemaOfEvent(type)] as const),
  ]);

/** Allows unknown fields, and removes number limits and patterns that zod adds without need. */
function forReaders({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.type === 'object') jsonSchema.additionalProperties = true;
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}
