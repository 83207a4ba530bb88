import type { Type } from '@nestjs/common';
import { ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { envelopeSchema, type DocumentTexts } from '../openapi/openapi.document.js';
import { WEB_SERVER_TOKEN } from './server-token.guard.js';

export const DOCUMENT_TEXTS: DocumentTexts = {
  title: 'Keyfold for file servers',
  description: `The servers port of Keyfold, on which file servers check logins, look up keys and report their use.

Statuses are real: a refusal has its code as its HTTP status, and its body is \`{"code":…,"message":…,"data":null}\`. The description of each
operation lists its refusals in the order of the checks; \`…\` stands for a text that depends on the request.`,
  faults:
    'The request was refused (400, 401, 403, 404, 405, 409, 413, 429) or could not be handled (500, 503). `code` equals the HTTP status.',
  authorization:
    'An access token as `Bearer kf_…`, with the scope that the operation names. Sessions and the static token are not accepted.',
  secrets: {
    'web-server': {
      type: 'apiKey',
      in: 'header',
      name: WEB_SERVER_TOKEN.header,
      description: 'The access token alone: `kf_…`.',
    },
    user: { type: 'http', scheme: 'basic', description: 'A name and an app password for `web`, in UTF-8.' },
  },
  tags: {
    keys: 'Look up who may log in with which keys.',
    logins: 'Check passwords, app passwords and offered keys.',
  },
};

export class AccountResponse {
  @ApiProperty({ type: 'integer' }) id!: number;
  @ApiProperty() username!: string;
  @ApiProperty({ description: 'The folder of the account, below the root of the site.' }) base_path!: string;
  @ApiProperty({ type: 'integer', description: 'The permission bits.' }) permission!: number;
}

/** Describes the answer to an accepted request: HTTP 200 with an envelope around the data. */
export const envelopeOf = (data: Type) => ({
  description: 'The answer.',
  models: [data],
  content: { 'application/json': { schema: envelopeSchema({ $ref: getSchemaPath(data) }) } },
});
