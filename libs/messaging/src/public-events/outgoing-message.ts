import { UnsendableMessage } from '../messaging.errors.js';
import type { OutgoingMessage } from '../event-publisher.js';
import { schemaUriOf } from './event-schemas.js';
import type { PublicEvent } from './public-event.js';

/** The `source` of every event: the service, regardless of the process. */
export const EVENT_SOURCE = 'keyfold';
/** In bytes. amqplib encodes at most 64 KiB of headers, and a replay adds one. RabbitMQ 4 accepts bodies of up to 16 MiB. */
const HEADERS_LIMIT = 64 * 1024 - 512;
const BODY_LIMIT = 15 * 1024 * 1024;

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
