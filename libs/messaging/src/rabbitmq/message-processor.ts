import type { ConsumeMessage } from 'amqplib';
import type { Envelope } from './envelope.js';

/** The outcome of a message that can be acknowledged. */
export type Outcome = 'done' | 'retried' | 'parked' | 'answered' | 'refused' | 'ignored';

/** Runs the handler of the message's type for at most `timeout` milliseconds. Returns its result and throws its error. */
export type RunHandler = (envelope: Envelope & { type: string }, data: unknown, timeout?: number) => Promise<unknown>;

/** Decides what happens to the messages of a queue. */
export type MessageProcessor = {
  /**
   * Resolves once the message may be acknowledged. Rejects if its outcome is unknown, as when `signal` is aborted; the message then
   * returns to the queue.
   */
  process(message: ConsumeMessage, run: RunHandler, signal: AbortSignal): Promise<Outcome>;
  close(): Promise<void>;
};
