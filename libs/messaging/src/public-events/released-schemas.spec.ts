import { describe, expect, it } from 'vitest';
import { problemBy } from '../../testing/event-validation.js';
import { breaksOf } from '../../testing/schema-changes.js';
import { compareVersions, readReleases, writeRelease } from '../../testing/schema-releases.js';
import { releasedSchemas, schemaOfEvent, type JsonSchema } from './event-schemas.js';
import { definitionOf, publicEventTypes } from './public-events.js';

// `RELEASE_SCHEMAS=1 npx vitest run --project unit released-schemas` writes the files of new versions.
if (process.env['RELEASE_SCHEMAS']) {
  for (const type of publicEventTypes) {
    await writeRelease({ type, version: definitionOf(type).version, schema: schemaOfEvent(type) });
  }
}

const releases = readReleases();
const ofType = (type: string) => releases.filter((each) => each.type === type);

describe.each(publicEventTypes)('the schema of %s', (type) => {
  const { version } = definitionOf(type);

  it('equals its released file: every change raises the version', () => {
    const released = ofType(type).find((each) => each.version === version);
    expect(schemaOfEvent(type), `raise the version of ${type} and release it`).toStrictEqual(released?.schema);
  });

  it('has the highest released version, and major version 1', () => {
    expect(ofType(type).at(-1)?.version).toBe(version);
    for (const each of ofType(type)) expect(each.version).toMatch(/^1\.\d+\.\d+$/);
  });

  it('only adds to earlier versions', () => {
    for (const [n, { version: earlier, schema }] of ofType(type).entries()) {
      for (const later of ofType(type).slice(n + 1)) {
        expect(breaksOf(schema, later.schema), `from ${earlier} to ${later.version}`).toEqual([]);
      }
    }
  });

  it('accepts the samples of every version, and every version accepts its sample', () => {
    const newest = definitionOf(type).sample.data;
    for (const { version: earlier, schema } of ofType(type)) {
      for (const sample of schema['examples'] as unknown[]) {
        expect(problemBy(schemaOfEvent(type), sample), `the sample of ${earlier}`).toBeUndefined();
      }
      expect(problemBy(schema, newest), `the newest sample by ${earlier}`).toBeUndefined();
    }
  });
});

it('exactly the released schemas are served', () => {
  const files = releases.map(({ type, version, schema }) => [`/schemas/${type}/${version}.json`, schema] as const);
  expect(Object.fromEntries(releasedSchemas())).toStrictEqual(Object.fromEntries(files));
});

it('versions are compared numerically', () => {
  expect(['1.10.0', '1.2.10', '1.2.9'].toSorted(compareVersions)).toEqual(['1.2.9', '1.2.10', '1.10.0']);
});

describe('a change of a schema', () => {
  const text = { type: 'string' };
  const object = (properties: object, required: string[], more = {}): JsonSchema => ({
    type: 'object',
    properties,
    required,
    additionalProperties: true,
    ...more,
  });
  const earlier = object({ name: text, note: text, tags: { type: 'array', items: text } }, ['name']);
  const fields = earlier['properties'] as object;

  it.each([
    ['another optional field', object({ ...fields, age: { type: 'integer' } }, ['name'])],
    ['other texts', { ...earlier, title: 'T', description: 'D', examples: [{}] }],
  ])('by %s is compatible', (_, later) => {
    expect(breaksOf(earlier, later)).toEqual([]);
  });

  it.each([
    ['a removed field', object({ name: text, tags: { type: 'array', items: text } }, ['name'])],
    ['a renamed field', object({ title: text, note: text, tags: { type: 'array', items: text } }, ['title'])],
    ['another type of a field', object({ ...fields, note: { type: 'integer' } }, ['name'])],
    ['a second type of a field', object({ ...fields, note: { type: ['string', 'null'] } }, ['name'])],
    ['another item type', object({ ...fields, tags: { type: 'array', items: { type: 'integer' } } }, ['name'])],
    ['a pattern', object({ ...fields, note: { type: 'string', pattern: '^a' } }, ['name'])],
    ['a field that is no longer required', object(fields, [])],
    ['an existing field that becomes required', object(fields, ['name', 'note'])],
    ['a new required field', object({ ...fields, age: text }, ['name', 'age'])],
    ['additional properties forbidden', object(fields, ['name'], { additionalProperties: false })],
  ])('by %s breaks subscribers', (_, later) => {
    expect(breaksOf(earlier, later)).not.toEqual([]);
  });
});
