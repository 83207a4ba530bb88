import asyncApi from '@asyncapi/specs/schemas/3.1.0.json' with { type: 'json' };
import addFormats from 'ajv-formats';
import { Ajv, type AnySchema } from 'ajv';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { problemBy } from '../../testing/event-validation.js';
import { formatJson } from '../../testing/format-json.js';
import { TOPOLOGY } from '../rabbitmq/topology/topology.js';
import { asyncApiDocument } from './asyncapi.document.js';
import type { JsonSchema } from './event-schemas.js';
import { sampleMessageOf } from './outgoing-message.js';
import { publicEventTypes } from './public-events.js';

const ASYNCAPI_FILE = resolve(import.meta.dirname, '../../../../docs/reference/asyncapi.json');

// `RELEASE_SCHEMAS=1 npx vitest run --project unit asyncapi` rewrites the file.
if (process.env['RELEASE_SCHEMAS']) writeFileSync(ASYNCAPI_FILE, await formatJson(asyncApiDocument()));

const guide = readFileSync(resolve(import.meta.dirname, '../../../../docs/connect/events.md'), 'utf8');
const document = JSON.parse(JSON.stringify(asyncApiDocument())) as ReturnType<typeof asyncApiDocument>;

describe('the AsyncAPI document', () => {
  it('equals the file in the repository', async () => {
    expect(existsSync(ASYNCAPI_FILE)).toBe(true);
    expect(readFileSync(ASYNCAPI_FILE, 'utf8')).toBe(await formatJson(document));
  });

  it('is valid according to the schema of AsyncAPI 3.1.0', () => {
    expect(problemByAsyncApi(document)).toBeUndefined();
    expect(problemByAsyncApi({ ...document, operations: { broken: { action: 'shout' } } })).toBeDefined();
  });

  it('has no dangling references', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#([^"]+)"/g)].map(([, path]) => path ?? '');
    expect(references.length).toBeGreaterThan(4 * publicEventTypes.length);
    for (const path of references) expect(at(path), path).toBeDefined();
  });

  it('has a channel and an operation for each public event, with its type as routing key', () => {
    for (const type of publicEventTypes) {
      expect(document.channels).toHaveProperty([type], expect.objectContaining({ address: type }));
      expect(document.operations).toHaveProperty([`send-${type}`], expect.objectContaining({ action: 'send' }));
    }
    expect(Object.keys(document.operations)).toHaveLength(publicEventTypes.length + 2);
  });

  it('names the exchanges of the topology', () => {
    const named = Object.values(document.channels).flatMap((channel) =>
      'bindings' in channel ? [channel.bindings.amqp.exchange] : [],
    );
    const all = TOPOLOGY.exchanges.map(({ name, type }) => ({ name, type, durable: true, autoDelete: false }));
    expect(new Set(named.map((exchange) => JSON.stringify(exchange)))).toEqual(
      new Set(all.map((exchange) => JSON.stringify(exchange))),
    );
  });

  it.each(Object.keys(document.components.messages))('has samples of %s that match its schemas', (name) => {
    const message = (document.components.messages as Record<string, Described>)[name]!;
    const traits = message.traits ? [document.components.messageTraits.event.headers] : [];
    const headers: JsonSchema[] = [...traits, ...(message.headers ? [message.headers] : [])];
    expect(message.examples.length).toBeGreaterThan(0);
    for (const example of message.examples) {
      expect(problemBy(message.payload, example.payload)).toBeUndefined();
      if (!example.headers) continue;
      for (const schema of headers) expect(problemBy(schema, example.headers)).toBeUndefined();
      const known = Object.keys(document.components.messageTraits.event.headers.properties);
      expect(known).toEqual(expect.arrayContaining(Object.keys(example.headers)));
    }
  });
});

type Described = Readonly<{
  traits?: readonly unknown[];
  headers?: JsonSchema;
  payload: JsonSchema;
  examples: readonly Readonly<{ headers?: JsonSchema; payload: unknown }>[];
}>;

/** Resolves a JSON pointer of the document. */
function at(pointer: string): unknown {
  const steps = pointer.split('/').slice(1);
  return steps.reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], document);
}

function problemByAsyncApi(candidate: unknown): string | undefined {
  // The schema contains its own meta-schema.
  const ajv = new Ajv({ strict: false, meta: false, validateSchema: false });
  addFormats.default(ajv);
  const validate = ajv.compile(asyncApi as AnySchema);
  return validate(candidate) ? undefined : JSON.stringify(validate.errors);
}

/** Returns the text between a heading and the next one. */
const section = (heading: string) => guide.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';

/** Returns the JSON blocks of a section. */
const shownIn = (heading: string) =>
  [...section(heading).matchAll(/```json\n(.*?)```/gs)].map(([, block]) => JSON.parse(block ?? '') as unknown);

it('the guide shows the sample message', () => {
  const shown = shownIn('Message format');
  const { headers, body } = sampleMessageOf('ssh-key.added');
  expect(shown).toEqual([headers, JSON.parse(body.toString())]);
});

it('the guide shows two replies of the AsyncAPI document, one with keys and one with an error', () => {
  const replies = asyncApiDocument().components.messages['ssh-keys.look-up.reply'].examples;
  const [withKeys, , withError] = replies.map(({ payload }) => payload);
  expect(shownIn('Sending to Keyfold')).toEqual([withKeys, withError]);
});
