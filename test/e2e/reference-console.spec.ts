import openapiTS, { astToString, type OpenAPI3, type OperationObject, type SchemaObject } from 'openapi-typescript';
import { globSync, readFileSync } from 'node:fs';
import { it, onTestFinished } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { expectGenerated } from '../support/reference-page.js';
import { StandaloneProcess } from '../support/standalone-process.js';

type Document = Readonly<{
  paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  components: Readonly<{ schemas: Readonly<Record<string, SchemaObject>> }>;
}>;

const CONSOLE = 'apps/console/src';
const FILE = `${CONSOLE}/api/openapi.ts`;
/** The sources that call routes. A call of another route gets its types by `npm run docs`. */
const sources = globSync(`${CONSOLE}/**/*.{ts,tsx}`)
  .filter((file) => file !== FILE && !file.endsWith('.spec.ts'))
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');

it('the types of the console are those that the service documents for the routes that it calls', async () => {
  const app = await StandaloneProcess.start();
  onTestFinished(() => app.dispose());
  const document = withoutTexts((await new ApiClient(app.baseUrl).get('/openapi.json')).json) as Document;
  const parts = [
    '// Generated from /openapi.json by `npm run docs`.',
    astToString(await openapiTS(compact(document), { exportType: true, defaultNonNullable: false }))
      // The generator writes them even if they are empty.
      .replaceAll(/^export type \S+ = Record<string, never>;\n/gm, ''),
    '/** The keys of the settings whose values are secret. */',
    `export const SECRET_SETTINGS: readonly string[] = ${JSON.stringify(secretSettings(document))};`,
  ];
  await expectGenerated(FILE, parts.join('\n'), { parser: 'typescript', singleQuote: true });
});

/** Returns a document without the texts, which would be comments. */
const withoutTexts = (document: unknown): unknown =>
  JSON.parse(JSON.stringify(document), (key, value: unknown) =>
    ['description', 'summary', 'example', 'examples'].includes(key) && typeof value !== 'object' ? undefined : value,
  );

/** Returns a document whose schema `Routes` describes each route of the console by what it sends and gets. The envelopes are left out. */
function compact({ paths, components: { schemas } }: Document): OpenAPI3 {
  const called = Object.entries(paths).filter(([path]) => sources.includes(`'${path}'`));
  const Routes = objectOf(mapped(Object.fromEntries(called), (methods) => objectOf(mapped(methods, routeOf))));
  const used = reachableFrom(Routes, schemas);
  const kept = Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)));
  return { openapi: '3.1.0', info: { title: '', version: '' }, components: { schemas: { Routes, ...kept } } };
}

/** Returns the names of the schemas to which a schema leads. */
function reachableFrom(schema: unknown, schemas: Document['components']['schemas'], found = new Set<string>()) {
  for (const [, name = ''] of JSON.stringify(schema).matchAll(/#\/components\/schemas\/(\w+)/g))
    if (!found.has(name)) reachableFrom(schemas[name], schemas, found.add(name));
  return found;
}

function routeOf({ parameters = [], requestBody, responses }: OperationObject): SchemaObject {
  const query = parameters.flatMap((each) => ('in' in each && each.in === 'query' ? [each] : []));
  const required = query.filter((each) => each.required).map(({ name }) => name);
  const envelope = schemaOf(responses?.['200']) as { properties?: { data?: SchemaObject } } | undefined;
  const [body, data] = [schemaOf(requestBody), envelope?.properties?.data];
  return objectOf({
    ...(query.length > 0 && {
      query: {
        ...objectOf(Object.fromEntries(query.map(({ name, schema }) => [name, schema as SchemaObject]))),
        required,
      },
    }),
    ...(body && { body }),
    ...(data && { data }),
  });
}

/** Returns the JSON schema of a request or an answer. */
function schemaOf(described: unknown): SchemaObject | undefined {
  const { content = {} } = (described ?? {}) as { content?: Record<string, { schema?: SchemaObject }> };
  return content['application/json']?.schema;
}

const objectOf = (properties: Record<string, SchemaObject>) =>
  ({ type: 'object', properties, required: Object.keys(properties) }) as const;

const mapped = <From, To>(values: Readonly<Record<string, From>>, to: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, to(value)]));

function secretSettings({ paths }: Document): unknown {
  const operation: object = paths['/api/admin/setting/list']?.['get'] ?? {};
  return 'x-secret-settings' in operation ? operation['x-secret-settings'] : [];
}
