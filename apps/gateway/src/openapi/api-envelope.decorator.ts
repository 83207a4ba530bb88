import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';

type Data = { model?: Type; schema?: Record<string, unknown> };

/**
 * Documents the response to a handled request: HTTP 200 with an envelope whose `code` is the outcome. `data` describes the data of a success;
 * with any other code the data is null.
 */
export function ApiEnvelope(data: Data = {}): MethodDecorator & ClassDecorator {
  const response = ApiOkResponse({
    description: '`code` contains the outcome: 200, or the code of a refusal. With a refusal, `data` is null.',
    schema: envelopeSchema(dataSchema(data)),
  });
  return data.model ? applyDecorators(ApiExtraModels(data.model), response) : applyDecorators(response);
}

/** Documents the response of a route that answers with plain text if it succeeds, and with an envelope if it refuses. */
export const ApiTextOrEnvelope = (description: string): MethodDecorator =>
  ApiOkResponse({
    description: 'Plain text, or an envelope whose `code` is that of a refusal.',
    content: {
      'text/plain': { schema: { type: 'string', description } },
      'application/json': { schema: envelopeSchema({ type: 'null' }) },
    },
  });

/** Returns the schema of the envelope around data (wire contract 1.1). */
export const envelopeSchema = (data: Record<string, unknown>) => ({
  type: 'object',
  required: ['code', 'message', 'data'],
  additionalProperties: false,
  properties: {
    code: { type: 'integer', description: '200 for success, 4xx or 5xx for a refusal.' },
    message: { type: 'string', description: '`success`, or the reason for the refusal.' },
    data,
    server_time: {
      type: 'integer',
      description: 'Only with a refused 2FA code: the time of the server, in unix seconds.',
    },
  },
});

function dataSchema({ model, schema }: Data): Record<string, unknown> {
  const success = schema ?? (model && { $ref: getSchemaPath(model) });
  return success ? { oneOf: [success, { type: 'null' }] } : { type: 'null' };
}
