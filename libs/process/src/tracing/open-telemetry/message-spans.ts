import { EVENTS_EXCHANGE, MessageTraces, type FollowedMessage, type OutgoingMessage } from '@keyfold/messaging';
import { SpanKind, type Attributes } from '@opentelemetry/api';
import { spanContextOf, type Spans } from './spans.js';

/** Creates a span for each published and each consumed message, in the trace that caused it. */
export class MessageSpans extends MessageTraces {
  constructor(private readonly spans: Spans) {
    super();
  }

  publish({ id, type }: OutgoingMessage, traceparent: string | undefined, send: () => Promise<void>): Promise<void> {
    const parent = spanContextOf(traceparent);
    // The command was not traced, so a span of its message would have no context.
    if (!parent) return send();
    const attributes: Attributes = {
      'messaging.system': 'rabbitmq',
      'messaging.operation.name': 'publish',
      'messaging.operation.type': 'send',
      'messaging.destination.name': EVENTS_EXCHANGE,
      'messaging.rabbitmq.destination.routing_key': type,
      'messaging.message.id': id,
    };
    const options = { kind: SpanKind.PRODUCER, attributes };
    return this.spans.follow(this.spans.begin(`publish ${EVENTS_EXCHANGE}`, options, parent), send);
  }

  handle<Outcome extends string>(
    { queue, id, type, traceparent }: FollowedMessage,
    work: () => Promise<Outcome>,
  ): Promise<Outcome> {
    const attributes: Attributes = {
      'messaging.system': 'rabbitmq',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': queue,
      ...(id !== undefined && { 'messaging.message.id': id }),
      ...(type !== undefined && { 'keyfold.message.type': type }),
    };
    const options = { kind: SpanKind.CONSUMER, attributes };
    const span = this.spans.begin(`process ${queue}`, options, spanContextOf(traceparent));
    return this.spans.follow(span, async () => {
      const outcome = await work();
      span.setAttribute('keyfold.outcome', outcome);
      return outcome;
    });
  }
}
