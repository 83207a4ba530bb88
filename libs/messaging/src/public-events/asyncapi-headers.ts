import { EVENT_SOURCE } from './outgoing-message.js';
import { schemaUriOf } from './event-schemas.js';
import type { PublicEventType } from './public-events.js';

const text = (description: string, more: Readonly<Record<string, unknown>> = {}) => ({
  type: 'string',
  description,
  ...more,
});

/** The headers that every public event has. */
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
    cloudEvents_specversion: text('The version of CloudEvents.', { const: '1.0' }),
    cloudEvents_id: text(
      '`<stream>:<version>:<index>`; the same for each delivery of the same event, so drop the ids that you have seen.',
    ),
    cloudEvents_source: text('The service.', { const: EVENT_SOURCE }),
    cloudEvents_type: text('The type, which is also the routing key.'),
    cloudEvents_time: text('When it happened, RFC 3339 in UTC.', { format: 'date-time' }),
    cloudEvents_subject: text('The stream that the event belongs to.'),
    cloudEvents_dataschema: text('The schema of the body; what follows `keyfold:` is its path on any gateway.'),
    cloudEvents_partitionkey: text('The id of the account; events with the same key come in order.'),
    cloudEvents_streamversion: text('The version of the stream, dense from 1; events of one commit share it.'),
    cloudEvents_correlationid: text('Names the request that led to the event.'),
    cloudEvents_clientcorrelationid: text('The id that the client chose for that request; not unique.'),
    cloudEvents_causationid: text('Names the message that led to the event.'),
    cloudEvents_traceparent: text('W3C trace context of the request that led to the event.'),
    'x-keyfold-replay': text('Only in replayed events: the run that sent it once more.'),
  },
};

/** What the headers of this type say besides. */
export const headersOfType = (type: PublicEventType) => ({
  type: 'object',
  properties: {
    cloudEvents_type: { const: type },
    cloudEvents_dataschema: { const: schemaUriOf(type) },
  },
});
