import type { JsonSchema } from './event-schemas.js';

/** Prepares a schema for embedding: removes `$schema` and `$id`, since the document defines the dialect. */
export function payloadOf(schema: JsonSchema): JsonSchema {
  const { $schema: _, $id: __, ...payload } = schema;
  return payload;
}
