import { EVENTS_EXCHANGE } from '../exchanges.js';
import { eventHeaders, headersOfType } from './asyncapi-headers.js';
import { payloadOf } from './asyncapi-payload.js';
import { inboundChannels, inboundMessages, inboundOperations } from './asyncapi-inbound.js';
import { schemaOfEvent } from './event-schemas.js';
import { definitionOf, publicEventTypes, type PublicEventType } from './public-events.js';
import { sampleMessageOf } from './sample-events.js';

const DESCRIPTION = [
  'The messages that Keyfold sends and receives over RabbitMQ.',
  'Public events are CloudEvents 1.0 in binary mode: the headers contain the attributes, the body contains the data.',
  'Each event is delivered at least once, and the events of one account arrive in order.',
].join(' ');

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

const channelOf = (type: PublicEventType) => ({
  address: type,
  title: definitionOf(type).title,
  messages: { [type]: { $ref: `#/components/messages/${type}` } },
  bindings: {
    amqp: {
      is: 'routingKey',
      exchange: { name: EVENTS_EXCHANGE, type: 'topic', durable: true, autoDelete: false },
      bindingVersion: '0.3.0',
    },
  },
});

const operationOf = (type: PublicEventType) => ({
  action: 'send',
  channel: { $ref: `#/channels/${type}` },
  summary: definitionOf(type).when,
  messages: [{ $ref: `#/channels/${type}/messages/${type}` }],
  bindings: { amqp: { deliveryMode: 2, mandatory: true, timestamp: true, bindingVersion: '0.3.0' } },
});

function messageOf(type: PublicEventType) {
  const { title, when, version, since, sample } = definitionOf(type);
  return {
    name: type,
    title,
    summary: when,
    description: `Schema version ${version}. Sent since Keyfold ${since}.`,
    traits: [{ $ref: '#/components/messageTraits/event' }],
    headers: headersOfType(type),
    payload: payloadOf(schemaOfEvent(type)),
    bindings: { amqp: { messageType: type, bindingVersion: '0.3.0' } },
    examples: [{ headers: sampleMessageOf(type).headers, payload: sample.data }],
  };
}
