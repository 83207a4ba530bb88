import { UnsendableMessage, type OutgoingMessage } from '../publishing.js';
import { schemaUriOf } from './event-schemas.js';
import { definitionOf, type PublicEvent, type PublicEventType } from './public-events.js';

/** The `source` of every event: the service, regardless of the process. */
export const EVENT_SOURCE = 'keyfold';
/** In bytes. RabbitMQ 4 accepts up to 16 MiB. */
const BODY_LIMIT = 15 * 1024 * 1024;
const NOON = Date.UTC(2026, 0, 15, 12);

/**
 * Encodes an event as a CloudEvent 1.0 in binary mode: the headers contain the attributes, the body contains the data. Deterministic.
 *
 * @throws UnsendableMessage the body is too large
 */
export function outgoingMessage(event: PublicEvent): OutgoingMessage {
  const { id, type, at, data } = event;
  const body = Buffer.from(JSON.stringify(data));
  if (body.length > BODY_LIMIT)
    throw new UnsendableMessage(`the data of ${id} have ${body.length} bytes; the limit is ${BODY_LIMIT}`);
  return { id, type, at, headers: headersOf(event), body };
}

/** Returns the sample of a type as a subscriber would receive it. */
export function sampleMessageOf(type: PublicEventType): OutgoingMessage {
  const { stream, data } = definitionOf(type).sample;
  const { accountId } = data;
  const sample = {
    id: `${stream}:3:0`,
    type,
    at: NOON,
    partition: typeof accountId === 'number' && stream !== 'erasures' ? String(accountId) : stream,
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
