import type { ConsumeMessage } from 'amqplib';
import type { Envelope } from './envelope.js';

/** What became of a message that can be acknowledged. */
export type Outcome = 'done' | 'retried' | 'parked' | 'answered' | 'refused' | 'ignored';

/** Runs the handler of the message's type for at most `time` milliseconds and answers its result; throws what it threw. */
export type RunHandler = (envelope: Envelope & { type: string }, data: unknown, time?: number) => Promise<unknown>;

/** What a queue does with its messages. */
export type MessageProcessor = {
  /**
   * Resolves once the message may be acknowledged. Rejects when that cannot be said, which is so when `signal` is aborted; then the
   * message goes back to the queue.
   */
  process(message: ConsumeMessage, run: RunHandler, signal: AbortSignal): Promise<Outcome>;
  close(): Promise<void>;
};
