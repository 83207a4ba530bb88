import openapiTS, { astToString, type OpenAPI3, type OperationObject, type SchemaObject } from 'openapi-typescript';
import { it, onTestFinished } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { expectGenerated } from '../support/reference-page.js';
import { StandaloneProcess } from '../support/standalone-process.js';

type Document = Readonly<{
  paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  components: Readonly<{ schemas: Readonly<Record<string, SchemaObject>> }>;
}>;

it('the types of the console are those that the service documents', async () => {
  const app = await StandaloneProcess.start();
  onTestFinished(() => app.dispose());
  const document = withoutTexts((await new ApiClient(app.baseUrl).get('/openapi.json')).json) as Document;
  const parts = [
    '// Generated from /openapi.json by `npm run docs`.',
    astToString(await openapiTS(compact(document), { exportType: true, defaultNonNullable: false })),
    '/** The keys of the settings whose values are secret. */',
    `export const SECRET_SETTINGS: readonly string[] = ${JSON.stringify(secretSettings(document))};`,
  ];
  const file = 'apps/console/src/api/openapi.ts';
  await expectGenerated(file, parts.join('\n'), { parser: 'typescript', singleQuote: true });
});

/** Returns a document without the texts, which would be comments. */
const withoutTexts = (document: unknown): unknown =>
  JSON.parse(JSON.stringify(document), (key, value: unknown) =>
    ['description', 'summary', 'example', 'examples'].includes(key) && typeof value !== 'object' ? undefined : value,
  );

/** Returns a document whose schema `Routes` describes every route by what the console sends and gets. The envelopes are left out. */
function compact({ paths, components: { schemas } }: Document): OpenAPI3 {
  const routes = Object.entries(paths).map(([path, methods]) => [path, objectOf(mapped(methods, routeOf))]);
  const info = { title: '', version: '' };
  return {
    openapi: '3.1.0',
    info,
    components: { schemas: { Routes: objectOf(Object.fromEntries(routes)), ...schemas } },
  };
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
