import addFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { schemaOfEvent, type JsonSchema } from '../src/public-events/event-schemas.js';
import { publicEventTypes, type PublicEventType } from '../src/public-events/public-events.js';

/** Returns the validation errors of data, if any. Throws if the schema itself is invalid. */
export function problemBy(schema: JsonSchema, data: unknown): string | undefined {
  return problemOf(compile(schema), data);
}

const strict = new Map<PublicEventType, ValidateFunction>();

/** Returns the validation errors of an event's data, if any. Undocumented fields count as errors. */
export function problemOfEvent(type: PublicEventType, data: unknown): string | undefined {
  if (strict.size === 0) {
    for (const each of publicEventTypes)
      strict.set(each, compile({ ...schemaOfEvent(each), additionalProperties: false }));
  }
  return problemOf(strict.get(type)!, data);
}

function compile(schema: JsonSchema): ValidateFunction {
  const ajv = new Ajv2020({ strict: true, allErrors: true });
  addFormats.default(ajv);
  return ajv.compile(schema);
}

const problemOf = (validate: ValidateFunction, data: unknown) =>
  validate(data) ? undefined : JSON.stringify(validate.errors);
