// Before anything that loads amqplib.
import './readable-headers.js';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ConsumedQueues, until } from '../../testing/consumed-queues.js';
import { sendDeepHeaders } from '../../testing/deep-headers.js';
import type { QueueTransport } from './queue-transport.js';

const outcomesOf = (transport: QueueTransport) => transport.queueStatus().outcomes;
const settled = (transport: QueueTransport, count: number) =>
  until(
    () => transport.queueStatus(),
    ({ outcomes, inFlight }) => inFlight === 0 && Object.values(outcomes).reduce((sum, n) => sum + n, 0) === count,
  );

const deep = '['.repeat(30_000) + ']'.repeat(30_000);
/** Together so large that they can be written, and not with three more. */
const longHeaders = {
  ...Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`header-${n + 10}`, 'x'.repeat(1_000)])),
  last: 'x'.repeat(520),
};

describe('a hostile message', () => {
  it('with headers of twelve thousand levels is parked, and the connection stays', async () => {
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
    ['no JSON', '{"n":', {}, 'body-malformed'],
    ['nothing at all', '', {}, 'body-malformed'],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), {}, 'body-malformed'],
    ['65,537 bytes', `"${'x'.repeat(65_535)}"`, {}, 'body-too-large'],
    ['another content type', '{}', { contentType: 'application/cloudevents+json' }, 'content-type-unknown'],
    ['a compressed body', '{}', { contentEncoding: 'gzip' }, 'content-type-unknown'],
    ['an unknown type', '{}', { type: 'other' }, 'type-unknown'],
    ['the name of an inherited member as its type', '{}', { type: '__proto__' }, 'type-unknown'],
    ['a type that is JSON', '{}', { type: '{"cmd":"work"}' }, 'type-unknown'],
    ['no type', '{}', { type: '' }, 'type-unknown'],
    ['a type that is no text', '{}', { type: '', headers: { cloudEvents_type: 7 } }, 'type-unknown'],
    ['no id', '{}', { messageId: '' }, 'message-id-missing'],
    ['an id with a line break', '{}', { messageId: 'a\nb' }, 'message-id-invalid'],
    ['an id that is too long', '{}', { messageId: 'x'.repeat(201) }, 'message-id-invalid'],
    ['headers that nobody can write again', '{"n":', { headers: longHeaders, appId: 'x' }, 'body-malformed'],
    ['a sender that is not us', '{"n":', { userId: 'guest' }, 'body-malformed'],
    ['an expiry', '{"n":', { expiration: '60000' }, 'body-malformed'],
    ['an attempt that is none', '{"n":', { headers: { 'x-attempt': 'many' } }, 'body-malformed'],
    ['headers of every kind', '{"n":', { headers: { __proto__x: 1, a: [1, { b: null }], c: 1.5 } }, 'body-malformed'],
  ])('with %s is parked and stops nothing', async (_, body, options, code) => {
    const queues = await ConsumedQueues.open();
    const seen: unknown[] = [];
    const transport = queues.consumeCommands({ work: (data) => void seen.push(data) });
    queues.sendBytes(Buffer.from(body as string), options);
    const parked = await queues.take('parked');
    expect(parked.properties.headers).toMatchObject({ 'x-error-code': code, 'x-attempt': 1 });
    expect(parked.properties.expiration).toBeUndefined();
    expect(Buffer.from(body as string).equals(parked.content)).toBe(true);
    queues.send('next');
    await until(
      () => seen,
      () => seen.length > 0,
    );
    expect(seen).toEqual(['next']);
    await settled(transport, 2);
    expect(outcomesOf(transport)).toEqual({ parked: 1, done: 1 });
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

  it('that names others who shall have a copy has none sent to them by us', async () => {
    const queues = await ConsumedQueues.open();
    const transport = queues.consumeCommands({});
    queues.sendBytes(Buffer.from('{'), { headers: { CC: ['questions'] } });
    expect((await queues.take('questions')).content.toString()).toBe('{');
    const parked = await queues.take('parked');
    expect(parked.properties.headers).not.toHaveProperty('CC');
    await settled(transport, 1);
    expect(await queues.ready('questions')).toBe(0);
  });

  it('of any bytes and any properties is done or parked, and never lost', async () => {
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
  fc.double({ min: -1e15, max: 1e15 }),
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
