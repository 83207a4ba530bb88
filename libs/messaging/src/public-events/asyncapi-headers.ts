import { EVENT_SOURCE } from './outgoing-message.js';
import { schemaUriOf } from './event-schemas.js';
import type { PublicEventType } from './public-events.js';

const text = (description: string, more: Readonly<Record<string, unknown>> = {}) => ({
  type: 'string',
  description,
  ...more,
});

/** The schema of the headers that all public events share. */
export const eventHeaders = {
  type: 'object',
  required: [
    'cloudEvents_specversion',
    'cloudEvents_id',
    'cloudEvents_source',
    'cloudEvents_type',
    'cloudEvents_time',
    'cloudEvents_subject',
    'cloudEvents_dataschema',
    'cloudEvents_partitionkey',
    'cloudEvents_streamversion',
    'cloudEvents_correlationid',
  ],
  properties: {
    cloudEvents_specversion: text('The version of the CloudEvents specification.', { const: '1.0' }),
    cloudEvents_id: text(
      '`<stream>:<version>:<index>`. Each delivery of an event has the same id, so ignore ids that you have already seen.',
    ),
    cloudEvents_source: text('The service that sent the event.', { const: EVENT_SOURCE }),
    cloudEvents_type: text('The type of the event, which is also its routing key.'),
    cloudEvents_time: text('When the event occurred, as an RFC 3339 timestamp in UTC.', { format: 'date-time' }),
    cloudEvents_subject: text('The stream that the event belongs to.'),
    cloudEvents_dataschema: text('The schema of the body. The part after `keyfold:` is its path on any gateway.'),
    cloudEvents_partitionkey: text(
      'The account id, or `site-settings`. Events with the same key are delivered in order.',
    ),
    cloudEvents_streamversion: text(
      'The version of the stream, counted from 1 without gaps. The events of one commit share it.',
    ),
    cloudEvents_correlationid: text('The id of the request that caused the event.'),
    cloudEvents_clientcorrelationid: text('The request id that the client chose; not unique.'),
    cloudEvents_causationid: text('The id of the message that caused the event.'),
    cloudEvents_traceparent: text('The W3C trace context of the request that caused the event.'),
    'x-keyfold-replay': text('Only in replayed events: the id of the replay.'),
  },
};

/** Returns the schema of the headers with fixed values for one type. */
export const headersOfType = (type: PublicEventType) => ({
  type: 'object',
  properties: {
    cloudEvents_type: { const: type },
    cloudEvents_dataschema: { const: schemaUriOf(type) },
  },
});
