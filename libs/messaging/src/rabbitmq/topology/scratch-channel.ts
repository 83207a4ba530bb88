import { reasonOf } from '@keyfold/event-store';
import type { Channel } from 'amqplib';
import { BrokerUnavailable } from '../../messaging.errors.js';
import { closeChannel } from '../close-channel.js';

/** Where channels come from: a `BrokerConnection`. */
export type ChannelSource = Readonly<{ channel(): Promise<Channel> }>;

/** RabbitMQ's answer to what it does not do. `code` is that of AMQP 0-9-1. */
export type Refusal = Readonly<{ code: number; reason: string }>;

export const ACCESS_REFUSED = 403;
export const NOT_FOUND = 404;
export const PRECONDITION_FAILED = 406;
const RESOURCE_LOCKED = 405;
const REFUSALS = new Set([ACCESS_REFUSED, NOT_FOUND, RESOURCE_LOCKED, PRECONDITION_FAILED]);

/**
 * Has a step done on a channel of its own, because a refusal ends the channel; answers the refusal, if there was one. Throws
 * `BrokerUnavailable` when the broker is away or goes away meanwhile.
 */
export async function refusalOf(
  channels: ChannelSource,
  step: (channel: Channel) => Promise<unknown>,
): Promise<Refusal | undefined> {
  const channel = await channels.channel();
  try {
    await step(channel);
  } catch (error) {
    const { code, message } = error as Error & { code?: number };
    if (code !== undefined && REFUSALS.has(code)) return { code, reason: brokersWords(message) };
    throw new BrokerUnavailable(`RabbitMQ went away: ${reasonOf(error)}`, { cause: error });
  }
  // It has done its work; that the connection is gone by now changes nothing.
  await closeChannel(channel);
  return undefined;
}

/** The library wraps the text of the broker: `Operation failed: QueueDeclare; 404 (NOT-FOUND) with message "NOT_FOUND - ..."`. */
function brokersWords(message: string): string {
  const [, told = message] = /with message "(.*)"$/s.exec(message) ?? [];
  return told.replace(/^[A-Z_]+ - /, '');
}
