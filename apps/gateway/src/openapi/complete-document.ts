import type { OpenAPIObject } from '@nestjs/swagger';
import examples from './operation-examples.json' with { type: 'json' };

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type MediaType = { examples?: Record<string, { summary: string; value: unknown }> };
/** The request of an operation, and its answers if it succeeds and if it is refused. */
type Examples = Readonly<{ request?: unknown; success?: unknown; refusal?: unknown }>;

/** Returns the document that Nest created, with the examples of each operation. */
export function completeDocument(document: OpenAPIObject): OpenAPIObject {
  const paths = Object.entries(document.paths).map(([path, item]) => {
    // Nest lists a route that accepts any method once per method, including SEARCH, which OpenAPI does not know.
    const kept = 'search' in item ? { get: item.get } : item;
    const operations = Object.entries(kept).map(([method, operation]) => [method, complete(operation as Operation)]);
    return [path, Object.fromEntries(operations)];
  });
  return { ...document, paths: Object.fromEntries(paths) as OpenAPIObject['paths'] };
}

function complete(operation: Operation): Operation {
  const { request, success, refusal }: Examples = examplesOf(operation.operationId);
  addExamples(contentsOf(operation.requestBody)[0], { request });
  const [answer, refused = answer] = contentsOf(operation.responses['200']);
  addExamples(answer, refused === answer ? { success, refusal } : { success });
  if (refused !== answer) addExamples(refused, { refusal });
  return operation;
}

const examplesOf = (id = ''): Examples => (examples as Record<string, Examples>)[id] ?? {};

const SUMMARIES = { request: 'A request', success: 'Success', refusal: 'A refusal' };

function addExamples(content: MediaType | undefined, values: Examples): void {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  if (!content || given.length === 0) return;
  const named = given.map(([name, value]) => [name, { summary: SUMMARIES[name as keyof Examples], value }]);
  content.examples = Object.fromEntries(named) as NonNullable<MediaType['examples']>;
}

/** Returns the contents of a request or a response. Refusals of a response with two contents have the second one. */
function contentsOf(described: object | undefined): MediaType[] {
  const { content = {} } = (described ?? {}) as { content?: Record<string, MediaType> };
  return Object.values(content);
}
