import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { it, onTestFinished } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { expectGenerated } from '../support/reference-page.js';
import { StandaloneProcess } from '../support/standalone-process.js';

it('the types of the console are those that the service documents', async () => {
  const app = await StandaloneProcess.start();
  onTestFinished(() => app.dispose());
  const { json } = await new ApiClient(app.baseUrl).get('/openapi.json');
  const types = astToString(await openapiTS(withoutTexts(json) as OpenAPI3, { exportType: true }));
  const head = '// Generated from /openapi.json by `npm run docs`.\n';
  await expectGenerated('apps/console/src/api/openapi.ts', head + types, { parser: 'typescript', singleQuote: true });
});

/** Returns a document without the texts, which would be comments, and without faults, which the client reads as refusals. */
const withoutTexts = (document: unknown): unknown =>
  JSON.parse(JSON.stringify(document), (key, value: unknown) =>
    ['description', 'summary', 'example', 'examples'].includes(key) && typeof value !== 'object' ? undefined : value,
  );
