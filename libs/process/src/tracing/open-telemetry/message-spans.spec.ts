import { SpanKind } from '@opentelemetry/api';
import { BrokerUnavailable, EVENTS_EXCHANGE } from '@keyfold/messaging';
import { describe, expect, it } from 'vitest';
import { RecordedSpans } from '../../../testing/recorded-spans.js';
import { MessageSpans } from './message-spans.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const SAMPLED = `00-${TRACE}-${SPAN}-01`;
const UNSAMPLED = `00-${TRACE}-${SPAN}-00`;
const message = { id: 'ssh-keys-7:1:0', type: 'ssh-key.added', at: 0, headers: {}, body: Buffer.from('{}') };
const command = { queue: 'keyfold.commands.q', id: 'm1', type: 'ssh-key.use', traceparent: SAMPLED };

const send = () => Promise.resolve();

describe('a published message', () => {
  it('has a span in the trace of its commit', async () => {
    const recorded = new RecordedSpans();
    await new MessageSpans(recorded.spans).publish(message, SAMPLED, send);
    expect(recorded.ended).toMatchObject([
      {
        name: `publish ${EVENTS_EXCHANGE}`,
        kind: SpanKind.PRODUCER,
        parentSpanContext: { traceId: TRACE, spanId: SPAN, isRemote: true },
        attributes: {
          'messaging.system': 'rabbitmq',
          'messaging.rabbitmq.destination.routing_key': 'ssh-key.added',
          'messaging.message.id': message.id,
        },
      },
    ]);
  });

  it.each([UNSAMPLED, undefined])('has no span if its commit was not traced: %s', async (traceparent) => {
    const recorded = new RecordedSpans();
    await new MessageSpans(recorded.spans).publish(message, traceparent, send);
    expect(recorded.ended).toEqual([]);
  });

  it('has a span for each attempt; a failed attempt is an error', async () => {
    const recorded = new RecordedSpans();
    const traces = new MessageSpans(recorded.spans);
    const away = new BrokerUnavailable('away');
    await expect(traces.publish(message, SAMPLED, () => Promise.reject(away))).rejects.toBe(away);
    await traces.publish(message, SAMPLED, send);
    expect(recorded.outcomes).toEqual([`publish ${EVENTS_EXCHANGE}: BrokerUnavailable`, `publish ${EVENTS_EXCHANGE}`]);
  });
});

describe('a consumed message', () => {
  it('has a span in the trace of its sender, with its outcome', async () => {
    const recorded = new RecordedSpans();
    await new MessageSpans(recorded.spans).handle(command, () => Promise.resolve('parked'));
    expect(recorded.outcomes).toEqual(['process keyfold.commands.q: parked']);
    expect(recorded.ended[0]).toMatchObject({
      kind: SpanKind.CONSUMER,
      parentSpanContext: { traceId: TRACE, spanId: SPAN },
    });
  });

  it('begins a new trace if it has none', async () => {
    const recorded = new RecordedSpans();
    const bare = { queue: command.queue, id: undefined, type: undefined, traceparent: undefined };
    await new MessageSpans(recorded.spans).handle(bare, () => Promise.resolve('parked'));
    expect(recorded.ended).toMatchObject([{ name: 'process keyfold.commands.q' }]);
    expect(recorded.ended[0]?.parentSpanContext).toBeUndefined();
  });

  it('is not exported if its sender was not sampled', async () => {
    const recorded = new RecordedSpans();
    await new MessageSpans(recorded.spans).handle({ ...command, traceparent: UNSAMPLED }, () =>
      Promise.resolve('done'),
    );
    expect(recorded.ended).toEqual([]);
  });
});
