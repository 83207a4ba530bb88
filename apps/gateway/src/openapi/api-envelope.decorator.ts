import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';

type Data = { model?: Type; schema?: Record<string, unknown> };

/**
 * Documents a handled answer: HTTP 200 with the envelope, whose `code` tells the outcome. `data` is what success carries; it is
 * null for every other code.
 */
export function ApiEnvelope(data: Data = {}): MethodDecorator & ClassDecorator {
  const described = ApiOkResponse({
    description: 'The outcome is in `code`: 200, or the code of a refusal with `data` null.',
    schema: envelopeSchema(dataSchema(data)),
  });
  return data.model ? applyDecorators(ApiExtraModels(data.model), described) : applyDecorators(described);
}

/** The envelope around some data (wire contract 1.1). */
export const envelopeSchema = (data: Record<string, unknown>) => ({
  type: 'object',
  required: ['code', 'message', 'data'],
  additionalProperties: false,
  properties: {
    code: { type: 'integer', description: '200, or 4xx/5xx for a refusal' },
    message: { type: 'string', description: '`success`, or what was refused' },
    data,
  },
});

function dataSchema({ model, schema }: Data): Record<string, unknown> {
  const success = schema ?? (model && { $ref: getSchemaPath(model) });
  return success ? { oneOf: [success, { type: 'null' }] } : { type: 'null' };
}
