import { waitAtMost } from '@keyfold/concurrency';
import type { Channel } from 'amqplib';

/** Milliseconds the broker may take to confirm that a channel is closed. */
const CLOSE_TIMEOUT = 1_000;

/**
 * Closes a channel, waiting a second at most: a broker with a memory alarm does not read from connections that publish, and a frozen one
 * does not read at all. A channel that is still open then closes with its connection.
 */
export const closeChannel = (channel: Channel): Promise<void> => waitAtMost(CLOSE_TIMEOUT, close(channel));

/** Rejects if the channel is already closed; amqplib throws synchronously. */
const close = async (channel: Channel): Promise<void> => channel.close();
