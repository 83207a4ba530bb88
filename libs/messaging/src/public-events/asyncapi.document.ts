import { EVENTS_EXCHANGE } from '../publishing.js';
import { payloadOf, schemaOfEvent, schemaUriOf } from './event-schemas.js';
import {
  amqp,
  inboundChannels,
  inboundMessages,
  inboundOperations,
  operationOn,
  routedChannel,
} from './inbound-messages.js';
import { EVENT_SOURCE, sampleMessageOf } from './outgoing-message.js';
import { definitionOf, publicEventTypes, type PublicEventType } from './public-events.js';

const DESCRIPTION = [
  'The messages that Keyfold sends and receives over RabbitMQ.',
  'Public events are CloudEvents 1.0 in binary mode: the headers contain the attributes, the body contains the data.',
  'Each event is delivered at least once, and the events of one account arrive in order.',
].join(' ');

const text = (description: string, more: Readonly<Record<string, unknown>> = {}) => ({
  type: 'string',
  description,
  ...more,
});

/** The schema of the headers that all public events share. */
const eventHeaders = {
  type: 'object',
  required: 'specversion id source type time subject dataschema partitionkey streamversion correlationid'
    .split(' ')
    .map((name) => `cloudEvents_${name}`),
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
    cloudEvents_causationid: text(
      'The id of the message that caused the event, or `import:openlist:<id there>` for an imported account.',
    ),
    cloudEvents_traceparent: text('The W3C trace context of the request that caused the event.'),
    'x-keyfold-replay': text('Only in replayed events: the id of the replay.'),
  },
};

/** Builds the AsyncAPI document. Its operations take the view of Keyfold, which sends events and receives commands and questions. */
export const asyncApiDocument = () => ({
  asyncapi: '3.1.0',
  info: { title: 'Keyfold', version: '1', description: DESCRIPTION },
  defaultContentType: 'application/json',
  channels: { ...ofEachEvent(channelOf), ...inboundChannels },
  operations: {
    ...Object.fromEntries(publicEventTypes.map((type) => [`send-${type}`, operationOf(type)])),
    ...inboundOperations,
  },
  components: {
    messages: { ...ofEachEvent(messageOf), ...inboundMessages },
    messageTraits: { event: { contentType: 'application/json', headers: eventHeaders } },
  },
});

const ofEachEvent = <Part>(partOf: (type: PublicEventType) => Part): Record<string, Part> =>
  Object.fromEntries(publicEventTypes.map((type) => [type, partOf(type)]));

const channelOf = (type: PublicEventType) => routedChannel(type, definitionOf(type).title, EVENTS_EXCHANGE);

const operationOf = (type: PublicEventType) =>
  operationOn(type, 'send', definitionOf(type).when, { deliveryMode: 2, mandatory: true, timestamp: true });

function messageOf(type: PublicEventType) {
  const { title, when, version, since, sample } = definitionOf(type);
  return {
    name: type,
    title,
    summary: when,
    description: `Schema version ${version}. Sent since Keyfold ${since}.`,
    traits: [{ $ref: '#/components/messageTraits/event' }],
    headers: {
      type: 'object',
      properties: { cloudEvents_type: { const: type }, cloudEvents_dataschema: { const: schemaUriOf(type) } },
    },
    payload: payloadOf(schemaOfEvent(type)),
    bindings: amqp({ messageType: type }),
    examples: [{ headers: sampleMessageOf(type).headers, payload: sample.data }],
  };
}
