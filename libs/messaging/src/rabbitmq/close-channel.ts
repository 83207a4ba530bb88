import type { Channel } from 'amqplib';
import { waitAtMost } from '../wait-at-most.js';

/** How long a broker may take to answer that a channel is closed (milliseconds). */
const CLOSE_TIME = 1_000;

/**
 * Closes a channel, and does not wait for ever: a broker without memory reads nothing from who publishes, a hanging one nothing at all.
 * Such a channel ends with its connection.
 */
export const closeChannel = (channel: Channel): Promise<void> => waitAtMost(CLOSE_TIME, close(channel));

/** Rejects for a channel that is closed already, where the library throws. */
const close = async (channel: Channel): Promise<void> => channel.close();
