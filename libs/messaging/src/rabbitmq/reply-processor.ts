import type { ConsumeMessage } from 'amqplib';
import { InvalidMessage } from '../consuming/consuming.errors.js';
import { failureOf } from '../consuming/failure.js';
import { dataOf, envelopeOf, namesOf } from './envelope.js';
import type { MessageProcessor, Outcome, RunHandler } from './message-processor.js';
import type { ReplyChannel } from './reply-channel.js';

/**
 * The only addresses that are answered, as the broker makes them: process and key in base64. Anything else would let a stranger write
 * into any queue with our rights.
 */
const REPLY_TO = /^amq\.rabbitmq\.reply-to\.[A-Za-z0-9+/_-]{1,200}={0,2}\.[A-Za-z0-9+/_-]{1,60}={0,2}$/;

/** A result, or why there is none; `retryable`: the same question may be answered later. */
type Reply =
  | Readonly<{ ok: true; data: unknown }>
  | Readonly<{ ok: false; error: Readonly<{ code: string; message: string; retryable: boolean }> }>;

/** Who hears of questions that were not answered with what was asked for. */
export type ReplyOptions = Readonly<{
  /** Hears each kind of question that was not answered, once. */
  onIgnored(problem: string): void;
  /** `id`, `type` and `correlation` only where they have the right form. */
  onFailure(told: Readonly<{ id?: string; type?: string; correlation?: string; code: string }>, error: unknown): void;
}>;

/** For questions: answered once, in time or not at all, and never tried again; who asked knows best whether to ask once more. */
export class ReplyProcessor implements MessageProcessor {
  readonly #told = new Set<string>();

  constructor(
    private readonly replies: ReplyChannel,
    private readonly options: ReplyOptions,
  ) {}

  async process(message: ConsumeMessage, run: RunHandler): Promise<Outcome> {
    const { replyTo, correlationId } = message.properties as { replyTo?: unknown; correlationId?: unknown };
    if (typeof replyTo !== 'string' || !REPLY_TO.test(replyTo))
      return this.#ignore('a question has a foreign reply-to');
    const time = timeFor(message);
    const deadline = performance.now() + time;
    const reply = await this.#answer(message, run, time);
    if (performance.now() >= deadline) return this.#ignore('an answer came too late');
    try {
      await this.replies.send(replyTo, Buffer.from(JSON.stringify(reply)), {
        contentType: 'application/json',
        ...(typeof correlationId === 'string' ? { correlationId } : {}),
      });
    } catch {
      return this.#ignore('an answer could not be sent');
    }
    return reply.ok ? 'answered' : 'refused';
  }

  close(): Promise<void> {
    return this.replies.close();
  }

  async #answer(message: ConsumeMessage, run: RunHandler, time: number): Promise<Reply> {
    const envelope = envelopeOf(message);
    const { type } = envelope;
    try {
      if (type === undefined) throw new InvalidMessage('type-unknown', 'there is no type');
      return { ok: true, data: (await run({ ...envelope, type }, dataOf(message), time)) ?? null };
    } catch (error) {
      const { kind, code, message: text } = failureOf(error);
      this.options.onFailure({ ...namesOf(envelope), code }, code === 'unexpected-error' ? error : undefined);
      return { ok: false, error: { code, message: text, retryable: kind !== 'permanent' } };
    }
  }

  #ignore(problem: string): Outcome {
    if (!this.#told.has(problem)) this.options.onIgnored(problem);
    this.#told.add(problem);
    return 'ignored';
  }
}

/**
 * How long who asked still waits at most, in milliseconds. The broker drops what expires in the queue; what it has delivered counts from
 * now on, because clocks differ between machines.
 */
function timeFor({ properties }: ConsumeMessage): number {
  const expiration: unknown = properties.expiration;
  return typeof expiration === 'string' && /^\d{1,15}$/.test(expiration) ? Number(expiration) : Infinity;
}
