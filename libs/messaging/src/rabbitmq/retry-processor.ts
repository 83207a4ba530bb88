import type { ConsumeMessage, Options } from 'amqplib';
import { InvalidMessage } from '../consuming/consuming.errors.js';
import { UnsendableMessage } from '../messaging.errors.js';
import { classifyFailure, type Failure } from '../consuming/failure.js';
import { dataOf, envelopeOf, logFieldsOf, type Envelope } from './envelope.js';
import type { MessageProcessor, Outcome, RunHandler } from './message-processor.js';
import type { MessageCopies } from './message-copies.js';
import { bareCopyOptions, copyOptions, type FailedAttempt } from './retry-headers.js';

/** Maximum number of attempts for a message that fails for a reason of its own. */
const MAX_ATTEMPTS = 10;

/** The queues for failed messages, and the listeners for failures. */
export type RetryOptions = Readonly<{
  /** Returns messages to their queue after a delay. */
  retryQueue: string;
  /** Keeps messages for an operator. */
  parkedQueue: string;
  /** Called for each failed attempt. `error` is set if it was unexpected. */
  onFailure(
    failed: Readonly<{
      outcome: Outcome;
      id?: string;
      type?: string;
      correlation?: string;
      code: string;
      attempt: number;
    }>,
    error: unknown,
  ): void;
}>;

/**
 * Processes commands: acknowledges a message once its handler succeeds, or once a copy is safe in the retry queue or the parked queue. A
 * crash between copy and acknowledgement leaves a duplicate, which the message id identifies.
 */
export class RetryProcessor implements MessageProcessor {
  constructor(
    private readonly copies: MessageCopies,
    private readonly options: RetryOptions,
  ) {}

  async process(message: ConsumeMessage, run: RunHandler, signal: AbortSignal): Promise<Outcome> {
    const envelope = envelopeOf(message);
    try {
      await run(requireIdentified(envelope), dataOf(message));
      return 'done';
    } catch (error) {
      // An aborted message is redelivered, so it needs no copy.
      signal.throwIfAborted();
      return await this.#copyAway(message, envelope, error, signal);
    }
  }

  close(): Promise<void> {
    return this.copies.close();
  }

  async #copyAway(message: ConsumeMessage, envelope: Envelope, error: unknown, signal: AbortSignal): Promise<Outcome> {
    const failure = classifyFailure(error);
    const outcome = cannotSucceed(failure, envelope) ? 'parked' : 'retried';
    const failed: FailedAttempt = {
      code: failure.code,
      attempt: outcome === 'retried' && failure.kind !== 'outage' ? envelope.attempt + 1 : envelope.attempt,
      firstFailedAt: envelope.firstFailedAt ?? new Date().toISOString(),
    };
    const { attempt } = envelope;
    const report = { outcome, ...logFieldsOf(envelope), code: failure.code, attempt } as const;
    this.options.onFailure(report, failure.code === 'unexpected-error' ? error : undefined);
    const { retryQueue, parkedQueue } = this.options;
    await this.#copy(message, outcome === 'parked' ? parkedQueue : retryQueue, failed, signal);
    return outcome;
  }

  async #copy(message: ConsumeMessage, queue: string, failed: FailedAttempt, signal: AbortSignal): Promise<void> {
    const put = (options: Options.Publish) => this.copies.put(queue, message.content, options, signal);
    try {
      await put(copyOptions(message.properties, failed));
    } catch (error) {
      if (!(error instanceof UnsendableMessage)) throw error;
      await put(bareCopyOptions(message.properties, failed));
    }
  }
}

/** Throws if the id is missing: without it, a redelivery could not be distinguished from a new command. */
function requireIdentified(envelope: Envelope): Envelope & { type: string } {
  const { id, hasInvalidId, type } = envelope;
  if (hasInvalidId)
    throw new InvalidMessage(
      'message-id-invalid',
      'the message-id must be 1 to 200 printable ASCII characters without spaces',
    );
  if (id === undefined) throw new InvalidMessage('message-id-missing', 'the message has no message-id');
  if (type === undefined) throw new InvalidMessage('type-unknown', 'the message has no type');
  return { ...envelope, type };
}

const cannotSucceed = ({ kind }: Failure, { attempt }: Envelope) =>
  kind === 'permanent' || (kind === 'transient' && attempt >= MAX_ATTEMPTS);
