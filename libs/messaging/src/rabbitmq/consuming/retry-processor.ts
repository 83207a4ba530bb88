import type { ConsumeMessage, MessageProperties, Options } from 'amqplib';
import { classifyFailure, InvalidMessage } from '../../consuming.js';
import { UnsendableMessage } from '../../publishing.js';
import type { MessageCopies } from '../publishing/message-copies.js';
import { dataOf, envelopeOf, logFieldsOf, MAX_ID_LENGTH, type Envelope } from './envelope.js';
import type { MessageProcessor, Outcome, RunHandler, TypedEnvelope } from './queue-transport.js';

/** Maximum number of attempts for a message that fails for a reason of its own. */
const MAX_ATTEMPTS = 10;

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
    const { kind, code } = classifyFailure(error);
    const { attempt, firstFailedAt = new Date().toISOString() } = envelope;
    const cannotSucceed = kind === 'permanent' || (kind === 'transient' && attempt >= MAX_ATTEMPTS);
    const outcome = cannotSucceed ? 'parked' : 'retried';
    const report = { outcome, ...logFieldsOf(envelope), code, attempt } as const;
    this.options.onFailure(report, code === 'unexpected-error' ? error : undefined);
    const { retryQueue, parkedQueue } = this.options;
    await this.#copy(message, outcome === 'parked' ? parkedQueue : retryQueue, signal, {
      'x-error-code': code,
      'x-attempt': outcome === 'retried' && kind !== 'outage' ? attempt + 1 : attempt,
      'x-first-failed-at': firstFailedAt,
    });
    return outcome;
  }

  /** Copies the message without its expiration, since parked messages must stay. */
  async #copy(message: ConsumeMessage, queue: string, signal: AbortSignal, failed: FailedHeaders): Promise<void> {
    const { content, properties } = message;
    const put = (options: Options.Publish) => this.copies.put(queue, content, options, signal);
    try {
      await put({ ...copiedProperties(properties), headers: { ...keptHeaders(properties), ...failed } });
    } catch (error) {
      if (!(error instanceof UnsendableMessage)) throw error;
      // amqplib cannot encode the sender's headers again.
      const { messageId, type } = properties;
      await put({ ...textProperties({ messageId, type }), headers: failed });
    }
  }
}

/** Throws if the id is missing: without it, a redelivery could not be distinguished from a new command. */
function requireIdentified(envelope: Envelope): TypedEnvelope {
  const { id, hasInvalidId, type } = envelope;
  if (hasInvalidId)
    throw new InvalidMessage(
      'message-id-invalid',
      `the message-id must be 1 to ${MAX_ID_LENGTH} printable ASCII characters without spaces`,
    );
  if (id === undefined) throw new InvalidMessage('message-id-missing', 'the message has no message-id');
  if (type === undefined) throw new InvalidMessage('type-unknown', 'the message has no type');
  return { ...envelope, type };
}

/** The headers of a copy that describe the failed attempt. */
const FAILED_HEADERS = ['x-error-code', 'x-attempt', 'x-first-failed-at'] as const;
type FailedHeaders = Readonly<Record<(typeof FAILED_HEADERS)[number], unknown>>;

/**
 * Headers that are not copied: the broker's own, which it would take for the history of the copy, and `CC` and `BCC`, with which the
 * original sender could route the copy to other queues.
 */
const DROPPED = /^(?:x-death|x-first-death-.*|x-last-death-.*|x-delivery-count|x-acquired-count|cc|bcc)$/i;

/** Header with the number of times an operator redrove the message. */
const REDRIVEN = 'x-redriven';

/** Returns the properties of a redriven message: as if it had never failed, except for the count of redrives. */
export function redriveOptions(properties: MessageProperties): Options.Publish {
  const { [REDRIVEN]: before, ...headers } = keptHeaders(properties);
  for (const name of FAILED_HEADERS) delete headers[name];
  const times = typeof before === 'number' ? before + 1 : 1;
  return { ...copiedProperties(properties), headers: { ...headers, [REDRIVEN]: times } };
}

/** Leaves out `user-id`: the broker refuses a message with the id of another user. */
function copiedProperties({
  messageId,
  type,
  contentType,
  contentEncoding,
  correlationId,
  appId,
  timestamp,
}: MessageProperties): Options.Publish {
  const texts = textProperties({ messageId, type, contentType, contentEncoding, correlationId, appId });
  return Number.isSafeInteger(timestamp) ? { ...texts, timestamp: timestamp as number } : texts;
}

const textProperties = (properties: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => typeof value === 'string'));

function keptHeaders({ headers }: Pick<ConsumeMessage['properties'], 'headers'>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers ?? {}).filter(([name]) => !DROPPED.test(name)));
}
