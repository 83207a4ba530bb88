import { outgoingMessage } from './outgoing-message.js';
import type { OutgoingMessage } from '../event-publisher.js';
import type { PublicEvent } from './public-event.js';
import { definitionOf, type PublicEventType } from './public-events.js';

const NOON = Date.UTC(2026, 0, 15, 12);

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
