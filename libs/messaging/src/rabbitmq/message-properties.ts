import type { Options } from 'amqplib';
import type { OutgoingMessage } from '../relay/event-publisher.js';

/** The AMQP properties of a public event; `timestamp` is in seconds. */
export const propertiesOf = ({ id, type, at, headers }: OutgoingMessage, appId: string): Options.Publish => ({
  persistent: true,
  mandatory: true,
  messageId: id,
  type,
  contentType: 'application/json',
  timestamp: Math.floor(at / 1_000),
  appId,
  headers,
});
