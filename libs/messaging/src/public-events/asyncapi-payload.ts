import type { JsonSchema } from './event-schemas.js';

/** A schema inside the document: there it has neither dialect nor name of its own, and uses only what all dialects know. */
export function payloadOf(schema: JsonSchema): JsonSchema {
  const { $schema: _, $id: __, ...payload } = schema;
  return payload;
}
