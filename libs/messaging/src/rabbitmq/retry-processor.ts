import type { ConsumeMessage, Options } from 'amqplib';
import { InvalidMessage } from '../consuming/consuming.errors.js';
import { UnsendableMessage } from '../messaging.errors.js';
import { failureOf, type Failure } from '../consuming/failure.js';
import { dataOf, envelopeOf, namesOf, type Envelope } from './envelope.js';
import type { MessageProcessor, Outcome, RunHandler } from './message-processor.js';
import type { MessageCopies } from './message-copies.js';
import { bareCopyOptions, copyOptions, type FailedTry } from './retry-headers.js';

/** How often a message is tried that fails for a reason of its own. */
const MOST_ATTEMPTS = 10;

/** Where messages of a queue go that cannot be done now or ever, and who hears of it. */
export type RetryOptions = Readonly<{
  /** Gives messages back to the queue after a time. */
  retryQueue: string;
  /** Keeps messages for a person. */
  parkedQueue: string;
  /** `id`, `type` and `correlation` only where they have the right form. */
  onFailure(
    told: Readonly<{
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
 * For commands: a message is acknowledged when its handler has done it, or when a copy of it is safe in the queue of retries or in that
 * of parked messages. A crash between copy and acknowledgement makes a second copy, which the id of the message tells apart.
 */
export class RetryProcessor implements MessageProcessor {
  constructor(
    private readonly copies: MessageCopies,
    private readonly options: RetryOptions,
  ) {}

  async process(message: ConsumeMessage, run: RunHandler, signal: AbortSignal): Promise<Outcome> {
    const envelope = envelopeOf(message);
    try {
      await run(requireNamed(envelope), dataOf(message));
      return 'done';
    } catch (error) {
      // What was aborted from here comes again by itself.
      signal.throwIfAborted();
      return await this.#putAside(message, envelope, error, signal);
    }
  }

  close(): Promise<void> {
    return this.copies.close();
  }

  async #putAside(message: ConsumeMessage, envelope: Envelope, error: unknown, signal: AbortSignal): Promise<Outcome> {
    const failure = failureOf(error);
    const outcome = isHopeless(failure, envelope) ? 'parked' : 'retried';
    const failed: FailedTry = {
      code: failure.code,
      attempt: outcome === 'retried' && failure.kind !== 'outage' ? envelope.attempt + 1 : envelope.attempt,
      firstFailedAt: envelope.firstFailedAt ?? new Date().toISOString(),
    };
    const { attempt } = envelope;
    const told = { outcome, ...namesOf(envelope), code: failure.code, attempt } as const;
    this.options.onFailure(told, failure.code === 'unexpected-error' ? error : undefined);
    const { retryQueue, parkedQueue } = this.options;
    await this.#copy(message, outcome === 'parked' ? parkedQueue : retryQueue, failed, signal);
    return outcome;
  }

  async #copy(message: ConsumeMessage, queue: string, failed: FailedTry, signal: AbortSignal): Promise<void> {
    const put = (options: Options.Publish) => this.copies.put(queue, message.content, options, signal);
    try {
      await put(copyOptions(message.properties, failed));
    } catch (error) {
      if (!(error instanceof UnsendableMessage)) throw error;
      await put(bareCopyOptions(message.properties, failed));
    }
  }
}

/** A command needs an id, or nobody could tell a second delivery from a second command. */
function requireNamed(envelope: Envelope): Envelope & { type: string } {
  const { id, hasUnfitId, type } = envelope;
  if (hasUnfitId)
    throw new InvalidMessage(
      'message-id-invalid',
      'the message-id must be 1 to 200 printable ASCII characters without spaces',
    );
  if (id === undefined) throw new InvalidMessage('message-id-missing', 'there is no message-id');
  if (type === undefined) throw new InvalidMessage('type-unknown', 'there is no type');
  return { ...envelope, type };
}

const isHopeless = ({ kind }: Failure, { attempt }: Envelope) =>
  kind === 'permanent' || (kind === 'transient' && attempt >= MOST_ATTEMPTS);
