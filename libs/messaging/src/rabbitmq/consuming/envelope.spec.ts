import type { ConsumeMessage } from 'amqplib';
import { describe, expect, it } from 'vitest';
import { dataOf, envelopeOf, MAX_BODY } from './envelope.js';

const message = (properties: object, body: string | Buffer = '{}') =>
  ({ properties, content: Buffer.from(body) }) as Pick<ConsumeMessage, 'properties' | 'content'>;
const envelope = (properties: object) => envelopeOf(message(properties));

describe('an envelope', () => {
  it('prefers CloudEvents headers, in either spelling, to properties', () => {
    expect(envelope({ messageId: 'm', type: 'a.b' })).toMatchObject({ id: 'm', type: 'a.b', attempt: 1 });
    expect(envelope({ type: 'a', headers: { cloudEvents_type: 'b-c.d' } }).type).toBe('b-c.d');
    expect(envelope({ headers: { 'cloudEvents:type': 'b', 'cloudEvents:id': 'i' } })).toMatchObject({
      id: 'i',
      type: 'b',
    });
    expect(envelope({ messageId: 'm', headers: { cloudEvents_id: 'i' } }).id).toBe('m');
  });

  it.each([
    ['x'.repeat(200), undefined, false],
    ['x'.repeat(201), undefined, true],
    ['a b', undefined, true],
    [7, undefined, true],
    ['a b', 'i', false],
    [undefined, 'a b', true],
    ['', undefined, false],
  ])('distinguishes an invalid id from a missing one: %j, %j', (messageId, id, hasInvalidId) => {
    expect(envelope({ messageId, headers: { cloudEvents_id: id } }).hasInvalidId).toBe(hasInvalidId);
  });

  it('correlates with the request that led to it, or else with its own id', () => {
    expect(envelope({ messageId: 'm', correlationId: 'c' }).correlation).toBe('c');
    expect(
      envelope({ messageId: 'm', correlationId: 'c', headers: { cloudEvents_correlationid: 'e' } }).correlation,
    ).toBe('e');
    expect(envelope({ messageId: 'm', correlationId: 'a b' }).correlation).toBe('m');
  });

  it.each([1, 7, 1000])('counts attempt %i', (attempt) => {
    expect(envelope({ headers: { 'x-attempt': attempt } }).attempt).toBe(attempt);
  });

  it.each([0, -1, 1.5, 1001, NaN, '2', null, { value: 2 }])('treats attempt %j as the first', (attempt) => {
    expect(envelope({ headers: { 'x-attempt': attempt } }).attempt).toBe(1);
  });

  it.each([undefined, null, 7, 'text', []])('ignores headers that are not an object: %j', (headers) => {
    expect(envelope({ headers })).toEqual({
      id: undefined,
      hasInvalidId: false,
      type: undefined,
      attempt: 1,
      firstFailedAt: undefined,
      correlation: undefined,
      traceparent: undefined,
    });
  });

  it('ignores inherited members of the headers', () => {
    const headers = Object.create({ cloudEvents_type: 'inherited', cloudEvents_id: 'i' }) as object;
    expect(envelope({ headers })).toMatchObject({ id: undefined, type: undefined });
  });
});

describe('the body of a message', () => {
  it.each([undefined, '', 'application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON'])(
    'is parsed as JSON with content type %j',
    (contentType) => {
      expect(dataOf(message({ contentType }, '{"n":[1]}'))).toEqual({ n: [1] });
    },
  );

  it.each(['text/plain', 'application/jsonx', 'application/cloudevents+json', 7])(
    'is refused with content type %j',
    (contentType) => {
      expect(() => dataOf(message({ contentType }))).toThrow('must be application/json');
    },
  );

  it('may have up to 65,536 bytes', () => {
    const text = (length: number) => `"${'x'.repeat(length - 2)}"`;
    expect(dataOf(message({}, text(MAX_BODY)))).toHaveLength(MAX_BODY - 2);
    expect(() => dataOf(message({}, text(MAX_BODY + 1)))).toThrow('more than 65536 bytes');
  });
});
