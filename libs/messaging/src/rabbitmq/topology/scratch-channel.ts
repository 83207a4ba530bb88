import { reasonOf } from '@keyfold/event-store';
import type { Channel } from 'amqplib';
import { BrokerUnavailable } from '../../messaging.errors.js';
import { closeChannel } from '../close-channel.js';

/** Opens channels; implemented by `BrokerConnection`. */
export type ChannelSource = Readonly<{ channel(): Promise<Channel> }>;

/** The error with which RabbitMQ refused an operation and closed the channel. `code` is an AMQP 0-9-1 reply code. */
export type ChannelError = Readonly<{ code: number; reason: string }>;

export const ACCESS_REFUSED = 403;
export const NOT_FOUND = 404;
export const PRECONDITION_FAILED = 406;
const RESOURCE_LOCKED = 405;
const CHANNEL_ERRORS = new Set([ACCESS_REFUSED, NOT_FOUND, RESOURCE_LOCKED, PRECONDITION_FAILED]);

/**
 * Runs an operation on a channel of its own, because an error closes the channel. Returns that error, if any.
 *
 * @throws BrokerUnavailable
 */
export async function attemptOnScratchChannel(
  channels: ChannelSource,
  operation: (channel: Channel) => Promise<unknown>,
): Promise<ChannelError | undefined> {
  const channel = await channels.channel();
  try {
    await operation(channel);
  } catch (error) {
    const { code, message } = error as Error & { code?: number };
    if (code !== undefined && CHANNEL_ERRORS.has(code)) return { code, reason: reasonIn(message) };
    throw new BrokerUnavailable(`the connection to RabbitMQ was lost: ${reasonOf(error)}`, { cause: error });
  }
  // The operation has succeeded, so losing the connection now does not matter.
  await closeChannel(channel);
  return undefined;
}

/** Extracts the broker's text, which amqplib wraps: `Operation failed: QueueDeclare; 404 (NOT-FOUND) with message "NOT_FOUND - ..."`. */
function reasonIn(message: string): string {
  const [, reason = message] = /with message "(.*)"$/s.exec(message) ?? [];
  return reason.replace(/^[A-Z_]+ - /, '');
}
