import type { Options } from 'amqplib';
import type { OutgoingMessage } from '../event-publisher.js';

/** Returns the AMQP properties of a public event. AMQP measures `timestamp` in seconds. */
export const propertiesOf = ({ id, type, at, headers }: OutgoingMessage, appId: string): Options.Publish => ({
  messageId: id,
  type,
  contentType: 'application/json',
  timestamp: Math.floor(at / 1_000),
  appId,
  headers,
});
