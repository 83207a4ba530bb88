import type { Answer, ApiClient } from './api-client.js';
import { AnswerSchemas, operationsOf, type ApiDocument, type Operation } from './api-document.js';

/** Reads the served document. Returns its operations, and the schemas of their answers. */
export async function servedOperations(
  client: ApiClient,
): Promise<{ operations: [string, Operation][]; schemas: AnswerSchemas }> {
  const document = (await client.get('/openapi.json')).json as ApiDocument;
  return { operations: operationsOf(document), schemas: new AnswerSchemas(document) };
}

/** Calls an operation with the documented example. Ids are of nothing that exists. */
export function callExample(
  client: ApiClient,
  route: string,
  { parameters = [], requestBody }: Operation,
): Promise<Answer> {
  const [method, path = ''] = route.split(' ');
  const required = parameters.filter(({ required }) => required).map(({ name }) => `${name}=999999`);
  const body = requestBody?.content['application/json']?.examples?.['request']?.value as object | undefined;
  const address = [path, ...required].join('?');
  return method === 'GET' ? client.get(address) : client.post(address, body);
}
