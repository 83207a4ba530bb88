import { z } from 'zod';
import accountRenamed100 from '../../schemas/account.renamed/1.0.0.json' with { type: 'json' };
import twoFactorDisabled100 from '../../schemas/account.two-factor-disabled/1.0.0.json' with { type: 'json' };
import { definitionOf, publicEventTypes, type PublicEventType } from './public-events.js';

/** JSON Schema 2020-12, as far as the public events use it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The schema of a message in JSON. Readers must accept fields that they do not know. */
export const jsonSchemaOf = (schema: z.ZodType): JsonSchema => z.toJSONSchema(schema, { override: forReaders });

/** The schema of an event's data in its newest version, with the sample as its example. */
export function schemaOfEvent(type: PublicEventType): JsonSchema {
  const { title, when, data, sample } = definitionOf(type);
  const { $schema, ...schema } = jsonSchemaOf(data);
  return { $schema, $id: schemaUriOf(type), title, description: when, ...schema, examples: [sample.data] };
}

/** Where every gateway serves the schema of this version, for ever. */
export const schemaPathOf = (type: PublicEventType, version = definitionOf(type).version) =>
  `/schemas/${type}/${version}.json`;

/**
 * The name of the newest schema: CloudEvents asks for an absolute URI, and an event must not depend on the address under which a
 * gateway is reached. What follows the scheme is the path on any gateway.
 */
export const schemaUriOf = (type: PublicEventType) => `keyfold:${schemaPathOf(type)}`;

/**
 * Schemas of versions that are no longer the newest, by path: `import` the released file when a version is raised, and list it here.
 */
const former: Readonly<Record<string, JsonSchema>> = {
  '/schemas/account.renamed/1.0.0.json': accountRenamed100,
  '/schemas/account.two-factor-disabled/1.0.0.json': twoFactorDisabled100,
};

/** Every schema that was ever released, by the path that events name it with. */
export const releasedSchemas = (): ReadonlyMap<string, JsonSchema> =>
  new Map([
    ...Object.entries(former),
    ...publicEventTypes.map((type) => [schemaPathOf(type), schemaOfEvent(type)] as const),
  ]);

/** Zod writes limits that every JSON number has, and patterns that repeat a format. */
function forReaders({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.type === 'object') jsonSchema.additionalProperties = true;
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}
