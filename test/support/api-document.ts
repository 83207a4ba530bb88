import addFormats from 'ajv-formats';
import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js';
import type { Answer } from './api-client.js';

/** The parts of an OpenAPI 3.1 document that tests read. */
export interface ApiDocument {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, ObjectSchema>;
    securitySchemes: Record<string, { type: string; name: string }>;
  };
}
type Examples = Record<string, { value: unknown }>;
export interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  parameters?: { name: string; in: string; required?: boolean; schema: object }[];
  requestBody?: {
    content: Record<string, { schema: { $ref?: string; items?: { $ref: string } }; examples?: Examples }>;
  };
  responses: Record<string, { description: string; content?: Record<string, { schema: object; examples?: Examples }> }>;
  security?: Record<string, string[]>[];
}
export interface ObjectSchema {
  type: string;
  properties: Record<string, { type: string | string[] }>;
  required?: string[];
}

/** Returns every documented operation as `[method path, operation]`, such as `GET /api/me`. */
export function operationsOf({ paths }: ApiDocument): [string, Operation][] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );
}

/**
 * Returns the documented refusals of an operation, each as a pattern of code and message, such as `401 token is invalidated`.
 */
export function refusalsOf({ description = '' }: Operation): RegExp[] {
  return [...description.matchAll(/^\| (\d+) \| `(.*?)` \|/gm)].map(([, code, message = '']) => {
    const literal = message.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    return new RegExp(`^${code} ${literal.replaceAll('…', '.*')}$`, 's');
  });
}

/** Validates answers against a document. Objects must not have undocumented fields. */
export class AnswerSchemas {
  private readonly ajv: Ajv2020;

  constructor(private readonly document: ApiDocument) {
    this.ajv = new Ajv2020({ strict: true, allErrors: true });
    addFormats.default(this.ajv);
    // Strict mode rejects the keyword `example` of OpenAPI and the folder `components` otherwise.
    for (const keyword of ['example', 'components']) this.ajv.addKeyword(keyword);
    const schemas = structuredClone(document.components.schemas);
    for (const schema of Object.values(schemas)) Object.assign(schema, { additionalProperties: false });
    this.ajv.addSchema({ $id: 'api', components: { schemas } } as AnySchema);
  }

  /** Compiles every schema of the document in strict mode. Throws if one is not a valid JSON Schema. */
  compileAll(): void {
    for (const name of Object.keys(this.document.components.schemas)) {
      this.ajv.compile({ $ref: `api#/components/schemas/${name}` });
    }
    for (const [, { responses }] of operationsOf(this.document)) {
      for (const { content = {} } of Object.values(responses)) {
        for (const { schema } of Object.values(content)) this.ajv.compile(here(schema));
      }
    }
  }

  /** Returns how an answer violates the documented operation, or `undefined` if it does not. */
  problemWith({ responses }: Operation, answer: Answer): string | undefined {
    const documented = responses[answer.status] ?? responses['default'];
    const type = String(answer.headers['content-type']).split(';')[0]!;
    const schema = documented?.content?.[type]?.schema;
    if (!schema) return `HTTP ${answer.status} with ${type} is not documented`;
    const value = type === 'application/json' ? answer.json : answer.text;
    return this.ajv.validate(here(schema), value) ? undefined : `${this.ajv.errorsText()} in ${answer.text}`;
  }
}

/** Rewrites references within the document to the id under which Ajv knows the document. */
const here = (schema: object): AnySchema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/')) as AnySchema;
