import { UnsendableMessage, type OutgoingMessage } from '../publishing.js';
import { schemaUriOf } from './event-schemas.js';
import { definitionOf, type PublicEvent, type PublicEventType } from './public-events.js';

/** The `source` of every event: the service, regardless of the process. */
export const EVENT_SOURCE = 'keyfold';
/** In bytes. amqplib encodes at most 64 KiB of headers, and a replay adds one. RabbitMQ 4 accepts bodies of up to 16 MiB. */
const HEADERS_LIMIT = 64 * 1024 - 512;
const BODY_LIMIT = 15 * 1024 * 1024;
const NOON = Date.UTC(2026, 0, 15, 12);

/**
 * Encodes an event as a CloudEvent 1.0 in binary mode: the headers contain the attributes, the body contains the data. Deterministic.
 *
 * @throws UnsendableMessage the headers or the body are too large
 */
export function outgoingMessage(event: PublicEvent): OutgoingMessage {
  const headers = headersOf(event);
  const body = Buffer.from(JSON.stringify(event.data));
  requireAtMost(HEADERS_LIMIT, sizeOf(headers), `the headers of ${event.id}`);
  requireAtMost(BODY_LIMIT, body.length, `the data of ${event.id}`);
  return { id: event.id, type: event.type, at: event.at, headers, body };
}

/** Returns the sample of a type as a subscriber would receive it. */
export function sampleMessageOf(type: PublicEventType): OutgoingMessage {
  const { stream, data } = definitionOf(type).sample;
  const { accountId } = data;
  const sample = {
    id: `${stream}:3:0`,
    type,
    at: NOON,
    partition: typeof accountId === 'number' ? String(accountId) : stream,
    stream,
    streamVersion: 3,
    correlation: '5f0c8a39-5d0e-4a53-9d0b-0c3bd4d7f3a1',
    data,
  };
  return outgoingMessage(sample as PublicEvent);
}

function headersOf(event: PublicEvent): Record<string, string> {
  return {
    cloudEvents_specversion: '1.0',
    cloudEvents_id: event.id,
    cloudEvents_source: EVENT_SOURCE,
    cloudEvents_type: event.type,
    cloudEvents_time: new Date(event.at).toISOString(),
    cloudEvents_subject: event.stream,
    cloudEvents_dataschema: schemaUriOf(event.type),
    cloudEvents_partitionkey: event.partition,
    cloudEvents_streamversion: String(event.streamVersion),
    cloudEvents_correlationid: event.correlation,
    ...(event.clientCorrelation !== undefined && { cloudEvents_clientcorrelationid: event.clientCorrelation }),
    ...(event.causation !== undefined && { cloudEvents_causationid: event.causation }),
    ...(event.traceparent !== undefined && { cloudEvents_traceparent: event.traceparent }),
  };
}

/** Returns the size of the headers in an AMQP table: 1 byte before each name, 5 bytes before each value. */
const sizeOf = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).reduce(
    (sum, [name, value]) => sum + 1 + Buffer.byteLength(name) + 5 + Buffer.byteLength(value),
    0,
  );

function requireAtMost(limit: number, size: number, what: string): void {
  if (size > limit) throw new UnsendableMessage(`${what} have ${size} bytes; the limit is ${limit}`);
}
