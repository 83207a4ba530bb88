import type { Channel, ConsumeMessage, Options } from 'amqplib';
import { classifyFailure, InvalidMessage } from '../../consuming.js';
import type { BrokerConnection } from '../connection/broker-connection.js';
import { closeChannel } from '../connection/channels.js';
import { dataOf, envelopeOf, logFieldsOf } from './envelope.js';
import type { MessageProcessor, Outcome, RunHandler } from './queue-transport.js';

/** Milliseconds that a reply waits for the connection to come back. */
const RECONNECT_TIMEOUT = 2_000;

/** Sends replies without publisher confirms: if a reply is lost, the requester asks again. */
export class ReplyChannel {
  #channel: Promise<Channel> | undefined;

  /**
   * `connection` must not be used for anything else. RabbitMQ (observed with 3.10) closes the whole connection when a reply goes to a forged
   * address, so a sender of forged addresses can only disturb other questions.
   */
  constructor(private readonly connection: BrokerConnection) {}

  /**
   * Resolves once the reply was handed to the connection.
   *
   * @throws BrokerUnavailable
   */
  async send(replyTo: string, body: Buffer, options: Options.Publish): Promise<void> {
    if (this.connection.state === 'disconnected') await this.connection.nextConnect(RECONNECT_TIMEOUT);
    this.#channel ??= this.#open();
    const channel = await this.#channel;
    channel.sendToQueue(replyTo, body, options);
  }

  async close(): Promise<void> {
    const channel = await this.#channel?.catch(() => undefined);
    if (channel) await closeChannel(channel);
  }

  #open(): Promise<Channel> {
    const opening = this.connection.channel().then((channel) => {
      channel.on('close', () => this.#forget(opening));
      return channel;
    });
    opening.catch(() => this.#forget(opening));
    return opening;
  }

  #forget(channel: Promise<Channel>): void {
    if (this.#channel === channel) this.#channel = undefined;
  }
}

/**
 * Matches the direct reply-to addresses that the broker generates: process and key in base64. Replying to other addresses would let anyone
 * write to any queue with Keyfold's permissions.
 */
const REPLY_TO = /^amq\.rabbitmq\.reply-to\.[A-Za-z0-9+/_-]{1,200}={0,2}\.[A-Za-z0-9+/_-]{1,60}={0,2}$/;

/** The body of a reply. `retryable`: the same question may succeed later. */
type Reply =
  | Readonly<{ ok: true; data: unknown }>
  | Readonly<{ ok: false; error: Readonly<{ code: string; message: string; retryable: boolean }> }>;

export type ReplyOptions = Readonly<{
  /** Called for a question without a reply, once per reason. */
  onIgnored(problem: string): void;
  /** Called for a question with an error reply. `error` is set if it was unexpected. */
  onFailure(
    question: Readonly<{ id?: string; type?: string; correlation?: string; code: string }>,
    error: unknown,
  ): void;
}>;

/** Answers each question once and in time, or not at all. Never retries: the requester knows best whether to ask again. */
export class ReplyProcessor implements MessageProcessor {
  readonly #reported = new Set<string>();

  constructor(
    private readonly replies: ReplyChannel,
    private readonly options: ReplyOptions,
  ) {}

  async process(message: ConsumeMessage, run: RunHandler): Promise<Outcome> {
    const { replyTo, correlationId } = message.properties as { replyTo?: unknown; correlationId?: unknown };
    if (typeof replyTo !== 'string' || !REPLY_TO.test(replyTo))
      return this.#ignore('a question has an invalid reply-to');
    const timeout = timeoutOf(message);
    const deadline = performance.now() + timeout;
    // A timer can fire a millisecond early.
    const reply = await this.#answer(message, run, timeout + 1);
    if (performance.now() >= deadline) return this.#ignore('a question timed out');
    try {
      await this.replies.send(replyTo, Buffer.from(JSON.stringify(reply)), {
        contentType: 'application/json',
        ...(typeof correlationId === 'string' ? { correlationId } : {}),
      });
    } catch {
      return this.#ignore('a reply could not be sent');
    }
    return reply.ok ? 'answered' : 'refused';
  }

  close(): Promise<void> {
    return this.replies.close();
  }

  async #answer(message: ConsumeMessage, run: RunHandler, timeout: number): Promise<Reply> {
    const envelope = envelopeOf(message);
    const { type } = envelope;
    try {
      if (type === undefined) throw new InvalidMessage('type-unknown', 'the message has no type');
      return { ok: true, data: (await run({ ...envelope, type }, dataOf(message), timeout)) ?? null };
    } catch (error) {
      const { kind, code, message: text } = classifyFailure(error);
      this.options.onFailure({ ...logFieldsOf(envelope), code }, code === 'unexpected-error' ? error : undefined);
      return { ok: false, error: { code, message: text, retryable: kind !== 'permanent' } };
    }
  }

  #ignore(problem: string): Outcome {
    if (!this.#reported.has(problem)) this.options.onIgnored(problem);
    this.#reported.add(problem);
    return 'ignored';
  }
}

/**
 * Returns how many milliseconds are left to answer: the message's `expiration`, counted from its delivery because clocks differ between
 * machines. The broker itself drops messages that expire in the queue.
 */
function timeoutOf({ properties }: ConsumeMessage): number {
  const expiration: unknown = properties.expiration;
  return typeof expiration === 'string' && /^\d{1,15}$/.test(expiration) ? Number(expiration) : Infinity;
}
