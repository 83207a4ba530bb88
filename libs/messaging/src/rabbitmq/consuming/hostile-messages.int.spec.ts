// Must come before any import of amqplib.
import '../connection/readable-headers.js';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ConsumedQueues, outcomesOf, settled, until } from '../../../testing/consumed-queues.js';
import { sendDeepHeaders } from '../../../testing/deep-headers.js';

const deep = '['.repeat(30_000) + ']'.repeat(30_000);
/** Just small enough to encode, but not with the three headers of a copy added. */
const longHeaders = {
  ...Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`header-${n + 10}`, 'x'.repeat(1_000)])),
  last: 'x'.repeat(520),
};

describe('a hostile message', () => {
  it('with headers nested 12,000 levels deep is parked, and the connection stays open', async () => {
    const queues = await ConsumedQueues.open();
    const transport = queues.consumeCommands({ work: () => undefined });
    const lost = vi.fn<() => void>();
    queues.consuming.onConnected(lost);
    sendDeepHeaders(queues.client, 'commands', 12_000);
    queues.send('next');
    await settled(transport, 2);
    expect(outcomesOf(transport)).toEqual({ parked: 1, done: 1 });
    expect((await queues.take('parked')).properties.headers).toMatchObject({ 'x-error-code': 'message-id-missing' });
    expect(lost).not.toHaveBeenCalled();
  });

  it.each([
    ['malformed JSON', '{"n":', {}, 'body-malformed'],
    ['an empty body', '', {}, 'body-malformed'],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22]), {}, 'body-malformed'],
    ['another content type', '{}', { contentType: 'application/cloudevents+json' }, 'content-type-unknown'],
    ['a compressed body', '{}', { contentEncoding: 'gzip' }, 'content-type-unknown'],
    ['an unknown type', '{}', { type: 'other' }, 'type-unknown'],
    ['an inherited member name as its type', '{}', { type: '__proto__' }, 'type-unknown'],
    ['a type that is JSON', '{}', { type: '{"cmd":"work"}' }, 'type-unknown'],
    ['no type', '{}', { type: '' }, 'type-unknown'],
    ['a type that is not a string', '{}', { type: '', headers: { cloudEvents_type: 7 } }, 'type-unknown'],
    ['no id', '{}', { messageId: '' }, 'message-id-missing'],
    ['an id with a line break', '{}', { messageId: 'a\nb' }, 'message-id-invalid'],
    ['an id that is too long', '{}', { messageId: 'x'.repeat(201) }, 'message-id-invalid'],
    ['headers that cannot be encoded again', '{"n":', { headers: longHeaders, appId: 'x' }, 'body-malformed'],
    ['the user id of another user', '{"n":', { userId: 'guest' }, 'body-malformed'],
    ['an expiry', '{"n":', { expiration: '60000' }, 'body-malformed'],
    ['an invalid attempt', '{"n":', { headers: { 'x-attempt': 'many' } }, 'body-malformed'],
    ['headers of every kind', '{"n":', { headers: { __proto__x: 1, a: [1, { b: null }], c: 1.5 } }, 'body-malformed'],
  ])('with %s is parked, and later messages are handled', async (_, body, options, code) => {
    const queues = await ConsumedQueues.open();
    const seen: unknown[] = [];
    const transport = queues.consumeCommands({ work: (data) => void seen.push(data) });
    queues.sendBytes(Buffer.from(body as string), options);
    const parked = await queues.take('parked');
    expect(parked.properties.headers).toMatchObject({ 'x-error-code': code, 'x-attempt': 1 });
    expect(parked.properties.expiration).toBeUndefined();
    expect(parked.content).toEqual(Buffer.from(body as string));
    queues.send('next');
    await until(
      () => seen,
      () => seen.length > 0,
    );
    expect(seen).toEqual(['next']);
    await settled(transport, 2);
    expect(outcomesOf(transport)).toEqual({ parked: 1, done: 1 });
  });

  it('with a body over 64 KiB is parked without it, with its size, and none of it is kept in memory', async () => {
    const queues = await ConsumedQueues.open();
    const bodies = vi.spyOn(Buffer, 'concat');
    onTestFinished(() => bodies.mockRestore());
    const transport = queues.consumeCommands({ work: () => undefined });
    queues.sendBytes(Buffer.alloc(65_536, 'x'));
    queues.sendBytes(Buffer.alloc(65_537));
    queues.sendBytes(Buffer.alloc(8_000_000));
    queues.send('next');
    await settled(transport, 4);
    expect(outcomesOf(transport)).toEqual({ parked: 3, done: 1 });
    const parked = await Promise.all([1, 2, 3].map(() => queues.take('parked')));
    const seen = parked.map(({ content, properties }) => [content.length, properties.headers?.['x-body-bytes']]);
    expect(seen.toSorted(([, left = 0], [, right = 0]) => left - right)).toEqual([
      [65_536, undefined],
      [0, 65_537],
      [0, 8_000_000],
    ]);
    // A read from the socket joins a few frames of 128 KiB.
    expect(Math.max(...bodies.mock.results.map(({ value }) => (value as Buffer).length))).toBeLessThan(1_000_000);
  });

  it.each([
    ['deep nesting', deep],
    ['names of inherited members', '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'],
  ])('with %s reaches its handler as plain data', async (_, body) => {
    const queues = await ConsumedQueues.open();
    const seen: unknown[] = [];
    const transport = queues.consumeCommands({ work: (data) => void seen.push(data) });
    queues.sendBytes(Buffer.from(body));
    await settled(transport, 1);
    expect(seen).toHaveLength(1);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('with a CC header is parked without sending copies to others', async () => {
    const queues = await ConsumedQueues.open();
    const transport = queues.consumeCommands({});
    queues.sendBytes(Buffer.from('{'), { headers: { CC: ['questions'] } });
    expect((await queues.take('questions')).content.toString()).toBe('{');
    const parked = await queues.take('parked');
    expect(parked.properties.headers).not.toHaveProperty('CC');
    await settled(transport, 1);
    expect(await queues.ready('questions')).toBe(0);
  });

  it('with arbitrary bytes and properties is done or parked, never lost', async () => {
    const queues = await ConsumedQueues.open();
    const transport = queues.consumeCommands({ work: () => undefined });
    let sent = 0;
    await fc.assert(
      fc.asyncProperty(anyBody, anyProperties, async (body, properties) => {
        queues.sendBytes(Buffer.from(body), properties);
        await settled(transport, ++sent);
      }),
      { numRuns: 150 },
    );
    const { done = 0, parked = 0, ...others } = outcomesOf(transport);
    expect({ total: done + parked, others }).toEqual({ total: sent, others: {} });
    expect(await queues.ready('parked')).toBe(parked);
    expect(transport.queueStatus()).toMatchObject({ state: 'consuming', redelivered: 0 });
  });
});

const anyBody = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.json().map((text) => Buffer.from(text)),
);
const short = fc.string({ unit: 'binary', maxLength: 60 });
const anyHeader = fc.oneof(
  short,
  fc.integer(),
  // amqplib cannot encode NaN, and RabbitMQ closes the connection of a sender that does.
  fc.double({ min: -1e15, max: 1e15, noNaN: true }),
  fc.boolean(),
  fc.constant(null),
  fc.array(short),
);
const anyProperties = fc.record(
  {
    messageId: short,
    type: fc.oneof(short, fc.constant('work')),
    contentType: fc.oneof(short, fc.constant('application/json')),
    contentEncoding: short,
    correlationId: short,
    appId: short,
    replyTo: short.map((text) => `x${text}`),
    priority: fc.integer({ min: 0, max: 255 }),
    timestamp: fc.nat(),
    headers: fc.dictionary(
      fc.oneof(
        short.filter((name) => !/^b?cc$/i.test(name)),
        fc.constantFrom('__proto__', 'x-attempt', 'x-first-failed-at', 'cloudEvents_type', 'cloudEvents_id', 'x-death'),
      ),
      anyHeader,
      { maxKeys: 5 },
    ),
  },
  { requiredKeys: [] },
);
