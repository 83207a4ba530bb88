import { All, applyDecorators, Get, HttpCode, Post, SetMetadata, UseGuards, type Type } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiHeader,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiQuery,
  ApiSecurity,
  getSchemaPath,
  type ApiHeaderOptions,
  type ApiQueryOptions,
} from '@nestjs/swagger';
import type { AccessTokenScope } from '@keyfold/domain';
import { envelopeSchema, type Schema } from '../openapi/openapi.document.js';
import { refusalTable, type RefusalName } from '../openapi/refusal-table.js';
import { TOKEN_SCOPE, type CallerGuardClass } from './caller.guard.js';
import { IDEMPOTENCY_KEY } from './idempotent-commands.js';

/** A method and a path. `ANY` accepts every method. */
type RouteLine = `${'GET' | 'POST' | 'ANY'} /${string}`;

/**
 * The `data` of a success: null, an instance of a class, a list of instances, or whatever the schema says. `content` describes an answer
 * that is not always an envelope, `noContent` one with the status 204.
 */
type Answer =
  | null
  | Type
  | readonly [Type]
  | Readonly<{ data: Schema; models?: readonly Type[] }>
  | Readonly<{ description: string; content: Record<string, { schema: Schema }>; models?: readonly Type[] }>
  | Readonly<{ noContent: string }>;

/** A check outside of Nest. `security` names the secrets of a request if it has others than the token in `Authorization`. */
type OutsideCheck = Pick<CallerGuardClass, 'refusals'> & Readonly<{ security?: Record<string, string[]> }>;

type RouteDescription = Readonly<{
  /** The operation id, which names the method of generated clients: camel case, starts with a verb. It never changes. */
  id: string;
  /** A title of a few words, without a full stop. */
  summary: string;
  /** The effect of the route, in Markdown. */
  description: string;
  /** Accepts the callers; a list of refusals stands for a check outside of Nest. Without a guard, everybody may call. */
  guard?: CallerGuardClass | OutsideCheck;
  /** The scope that an access token needs. Without one, the guard refuses every access token. */
  scope?: AccessTokenScope;
  query?: readonly ApiQueryOptions[];
  headers?: readonly ApiHeaderOptions[];
  body?: Type | [Type];
  answer: Answer;
  /** The refusals in the order of their checks, without those of the guard and of `Idempotency-Key`. */
  refusals: readonly RefusalName[];
  /** Whether the route uses `IdempotentCommands`, and whether its answer is shown only once. */
  idempotent?: true | 'shown once';
}>;

/** The content of a refusal, for a route whose success is not an envelope. */
export const REFUSAL_CONTENT = { 'application/json': { schema: envelopeSchema({ type: 'null' }) } };

/** Declares a route and documents it. `completeDocument` adds its examples. Undocumented routes use the decorators of Nest. */
export function Route(line: RouteLine, route: RouteDescription): MethodDecorator {
  const { id, summary, guard, scope, query = [], headers = [], body, answer, idempotent } = route;
  const [method, path] = line.split(' ') as [string, string];
  const sent = idempotent ? [...headers, KEY_HEADER] : headers;
  return applyDecorators(
    ...describeAnswer(answer),
    ...(body ? [ApiBody({ type: body })] : []),
    ...query.map((parameter) => ApiQuery(parameter)),
    ...sent.map((header) => ApiHeader(header)),
    ApiOperation({ operationId: id, summary, description: `${textOf(route)}\n\n${refusalTable(refusalsOf(route))}` }),
    ...(typeof guard === 'function' ? [UseGuards(guard)] : []),
    ...(guard ? [ApiSecurity(securityOf(guard)), SetMetadata(TOKEN_SCOPE, scope)] : []),
    ...(method === 'POST'
      ? [Post(path), HttpCode(hasContent(answer) ? 200 : 204)]
      : [method === 'GET' ? Get(path) : All(path)]),
  );
}

const securityOf = (guard: CallerGuardClass | OutsideCheck) =>
  'security' in guard && guard.security ? guard.security : { token: [] };

const hasContent = (answer: Answer): answer is Exclude<Answer, { noContent: unknown }> =>
  !(answer && 'noContent' in answer);

function describeAnswer(answer: Answer): MethodDecorator[] {
  if (!hasContent(answer)) return [ApiNoContentResponse({ description: answer.noContent })];
  if (answer && 'content' in answer) {
    const { models = [], ...response } = answer;
    return [ApiOkResponse(response), ApiExtraModels(...models)];
  }
  const [models, success] = dataOf(answer);
  const response = ApiOkResponse({
    description: '`code` contains the outcome: 200, or the code of a refusal. With a refusal, `data` is null.',
    schema: envelopeSchema(success ? { oneOf: [success, { type: 'null' }] } : { type: 'null' }),
  });
  return [response, ApiExtraModels(...models)];
}

/** Returns the classes of the data of an answer, and its schema if there are any data. */
function dataOf(
  answer: Exclude<Answer, { content: unknown } | { noContent: unknown }>,
): [models: readonly Type[], schema?: Schema] {
  if (!answer) return [[]];
  if (typeof answer === 'function') return [[answer], { $ref: getSchemaPath(answer) }];
  if ('data' in answer) return [answer.models ?? [], answer.data];
  return [answer, { type: 'array', items: { $ref: getSchemaPath(answer[0]) } }];
}

function textOf({ description, guard, scope }: RouteDescription): string {
  if (!guard) return description;
  return `${description} ${scope ? `Access tokens need the scope \`${scope}\`.` : 'Takes no access tokens.'}`;
}

function refusalsOf({ guard, scope, refusals, idempotent }: RouteDescription): RefusalName[] {
  const ofScope: RefusalName = scope ? 'access-token-scope-missing' : 'access-token-not-accepted';
  return [
    ...(guard ? [...guard.refusals, ofScope] : []),
    ...refusals,
    ...(idempotent ? (['idempotency-key-invalid', 'idempotency-key-reused'] as const) : []),
    ...(idempotent === 'shown once' ? (['idempotency-key-spent'] as const) : []),
  ];
}

const KEY_HEADER = {
  name: IDEMPOTENCY_KEY,
  required: false,
  description:
    'A text that is unique for this request of the account, such as a UUID. A repeat of the request with the same key ' +
    'has no further effect. It gets the same answer, unless that is shown only once.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
} as const;

/** The parameters of a list with pages (wire contract 2.9). */
export const PAGING: readonly ApiQueryOptions[] = [
  {
    name: 'page',
    required: false,
    schema: { type: 'integer', default: 1 },
    description: 'The number of the page.',
  },
  {
    name: 'per_page',
    required: false,
    schema: { type: 'integer' },
    description: 'The size of a page. Unlimited if missing.',
  },
];
