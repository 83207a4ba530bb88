import { waitAtMost } from '@keyfold/concurrency';
import { reasonOf } from '@keyfold/reporting';
import type { Channel } from 'amqplib';
import { BrokerUnavailable } from '../../publishing.js';

/** The error with which RabbitMQ refused an operation and closed the channel. `code` is an AMQP 0-9-1 reply code. */
export type ChannelError = Readonly<{ code: number; reason: string }>;

/** The user lacks a permission, so whether the object exists is unknown: RabbitMQ checks permissions first. */
export const ACCESS_REFUSED = 403;
export const NOT_FOUND = 404;
export const PRECONDITION_FAILED = 406;
const RESOURCE_LOCKED = 405;
const CHANNEL_ERRORS = new Set([ACCESS_REFUSED, NOT_FOUND, RESOURCE_LOCKED, PRECONDITION_FAILED]);

export const APPLY_ADVICE = 'run keyfold topology apply';
export const GRANT_ADVICE = 'grant the user the permissions that docs/run/rabbitmq.md lists';
const ADVICE = new Map([
  [ACCESS_REFUSED, GRANT_ADVICE],
  [NOT_FOUND, APPLY_ADVICE],
]);

/** Returns the channel error that an operation rejected with; undefined for any other error, such as a lost connection. */
export function channelErrorOf(error: unknown): ChannelError | undefined {
  const { code, message } = error as Error & { code?: unknown };
  return typeof code === 'number' && CHANNEL_ERRORS.has(code) ? { code, reason: reasonIn(message) } : undefined;
}

/** Whether the queue exists and the nodes with its members are down: `home node '...' of durable queue '...' is down or inaccessible`. */
export const isOffline = ({ code, reason }: ChannelError): boolean =>
  code === NOT_FOUND && reason.startsWith('home node');

/** Returns why an operation on the topology failed, with advice if the user lacks a permission or the object is missing. */
export function channelProblemOf(error: unknown): string {
  const refusal = channelErrorOf(error);
  if (!refusal) return reasonOf(error);
  const advice = ADVICE.get(refusal.code);
  return advice === undefined ? refusal.reason : `${refusal.reason}: ${advice}`;
}

/** Extracts the broker's text, which amqplib wraps: `Operation failed: QueueDeclare; 404 (NOT-FOUND) with message "NOT_FOUND - ..."`. */
function reasonIn(message: string): string {
  const [, reason = message] = /with message "(.*)"$/s.exec(message) ?? [];
  return reason.replace(/^[A-Z_]+ - /, '');
}

/** Milliseconds the broker may take to confirm that a channel is closed. */
const CLOSE_TIMEOUT = 1_000;

/**
 * Closes a channel, waiting a second at most: a broker with a memory alarm does not read from connections that publish, and a frozen one
 * does not read at all. A channel that is still open then closes with its connection.
 */
export async function closeChannel(channel: Channel): Promise<void> {
  // If the channel is already closed, amqplib throws before it returns a promise.
  const closing = async () => channel.close();
  await waitAtMost(CLOSE_TIMEOUT, closing());
}

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
