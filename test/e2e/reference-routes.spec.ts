import { expect, it, onTestFinished } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { operationsOf, type ApiDocument, type Operation } from '../support/api-document.js';
import { expectPage, table } from '../support/reference-page.js';
import { StandaloneProcess } from '../support/standalone-process.js';

it('the page of the routes is what the service documents', async () => {
  const app = await StandaloneProcess.start();
  onTestFinished(() => app.dispose());
  const document = (await new ApiClient(app.baseUrl).get('/openapi.json')).json as ApiDocument;
  const operations = operationsOf(document);
  expect(operations.length).toBeGreaterThan(40);
  await expectPage('reference/routes.md', routesPage(operations));
});

const routesPage = (operations: [string, Operation][]) => `# Routes

Every operation of the API with its refusals in the order of the checks, as \`/openapi.json\` documents them; \`…\` stands for a text that depends on the
request. A running service shows the same with examples at \`/docs\`. [The wire contract](wire-contract.md) specifies fields and quirks. This page is
generated from the running service by \`npm run docs\`.

${table(
  ['route', 'does'],
  operations.map(([route, { operationId, summary = '' }]) => [
    `[\`${route}\`](#${operationId.toLowerCase()})`,
    summary,
  ]),
)}

## Refusals of the caller

Routes that need an account refuse these callers first:

| code | message | when |
| --- | --- | --- |
${callerRefusals(operations).join('\n')}

${operations.map(([route, operation]) => section(route, operation, callerRefusals(operations))).join('\n\n')}
`;

/** Returns the rows that most operations have in common. */
function callerRefusals(operations: [string, Operation][]): string[] {
  const rows = operations.flatMap(([, { description = '' }]) => description.match(/^\| 401 .*$/gm) ?? []);
  return [...new Set(rows)].filter((row) => rows.filter((each) => each === row).length > operations.length / 2);
}

function section(
  route: string,
  { operationId, description = '', parameters = [], requestBody }: Operation,
  ofCaller: readonly string[],
): string {
  const inputs = parameters
    .filter((each) => each.in === 'query')
    .map(({ name, required }) => `\`${name}\`${required ? '' : '?'}`);
  const example = requestBody?.content['application/json']?.examples?.['request']?.value;
  return [
    `## ${operationId}`,
    `\`${route}\``,
    inputs.length > 0 && `Query: ${inputs.join(', ')}`,
    example !== undefined && `Body, for example: \`${JSON.stringify(example)}\``,
    // A description has headings only in the document of the service.
    withoutRows(description.replaceAll(/^#+ (.*)$/gm, '**$1**'), ofCaller),
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** Replaces rows that a description shares with others by a reference to them. */
function withoutRows(description: string, rows: readonly string[]): string {
  if (!rows.every((row) => description.includes(row))) return description;
  const rest = rows.reduce((text, row) => text.replace(`${row}\n`, ''), `${description}\n`).trim();
  const refusals = '| code | message';
  const note = 'Refused after [those of the caller](#refusals-of-the-caller):';
  const own = rest.replace(refusals, `${note}\n\n${refusals}`);
  return /^\| \d/m.test(rest)
    ? own
    : rest.replace(/\| code [^]*/, 'Refuses only [those of the caller](#refusals-of-the-caller).');
}
