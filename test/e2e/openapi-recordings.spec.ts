import { describe, expect, it } from 'vitest';
import { expectedAnswer, readRecordings } from '../contract/recording.js';
import { sampleText } from '../contract/sample-text.js';
import { Answer, ApiClient } from '../support/api-client.js';
import { AnswerSchemas, operationsOf, refusalsOf, type ApiDocument } from '../support/api-document.js';
import { sharedApp } from '../support/shared-app.js';

const app = await sharedApp();
const document = (await new ApiClient(app.baseUrl).get('/openapi.json')).json as ApiDocument;
const operations = new Map(operationsOf(document));
const schemas = new AnswerSchemas(document);

/** Every recorded answer of a documented operation that has a complete body. */
const recorded = readRecordings().flatMap(({ group, cases }) =>
  cases.flatMap((each) =>
    each.steps.flatMap((step, index) => {
      const answer = expectedAnswer(each, index);
      if (!('send' in step) || !answer || !('body' in answer) || !answer.body) return [];
      const operation = operations.get(`${step.send.method} ${step.send.path.split('?')[0]}`);
      if (!operation) return [];
      const { status, type = 'application/json', body } = answer;
      return [{ id: `${group} ${each.id} step ${index}`, operation, status, type: type ?? '', body }];
    }),
  ),
);

describe('the OpenAPI document', () => {
  it('validates every recorded answer', () => {
    expect(recorded.length).toBeGreaterThan(700);
    for (const { id, operation, status, type, body } of recorded) {
      const answer = new Answer(status, { 'content-type': type }, sampleText(body));
      expect(schemas.problemWith(operation, answer), id).toBeUndefined();
    }
  });

  it('lists every recorded refusal', () => {
    const unlisted = recorded.flatMap(({ id, operation, status, body }) => {
      // Some texts are not recorded.
      if (status !== 200 || !body.startsWith('{"code":') || body.includes('<<text>>')) return [];
      const { code, outcome } = new Answer(status, {}, sampleText(body));
      const listed = refusalsOf(operation).filter((refusal) => !refusal.test(`${code} any text`));
      const isListed = code === 200 || listed.some((refusal) => refusal.test(outcome));
      return isListed ? [] : [{ id, operation: operation.operationId, recorded: outcome, listed: listed.map(String) }];
    });
    expect(unlisted).toEqual([]);
  });
});
