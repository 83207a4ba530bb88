import { reasonOf } from '@keyfold/event-store';
import type { Channel } from 'amqplib';
import { BrokerUnavailable } from '../../messaging.errors.js';
import { channelErrorOf, type ChannelError } from '../channel-error.js';
import { closeChannel } from '../close-channel.js';

/** Opens channels; implemented by `BrokerConnection`. */
export type ChannelSource = Readonly<{ channel(): Promise<Channel> }>;

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
    const refusal = channelErrorOf(error);
    if (refusal) return refusal;
    throw new BrokerUnavailable(`the connection to RabbitMQ was lost: ${reasonOf(error)}`, { cause: error });
  }
  // The operation has succeeded, so losing the connection now does not matter.
  await closeChannel(channel);
  return undefined;
}
