import type { Channel, ConsumeMessage } from 'amqplib';

/**
 * Settles a delivery exactly once. The broker closes the channel on a second answer, which would requeue all other deliveries, so only the
 * first answer is sent. If the channel is gone, no answer is needed: the broker redelivers the message.
 */
export class Settlement {
  #settled = false;

  constructor(
    private readonly channel: Channel,
    private readonly message: ConsumeMessage,
    /** Aborted when the channel is lost. */
    readonly lost: AbortSignal,
    private readonly onSettled: () => void,
  ) {}

  /** Acknowledges the message. */
  ack(): void {
    this.#settle(() => this.channel.ack(this.message));
  }

  /** Returns the message to the queue. The delivery does not count towards the delivery limit. */
  requeue(): void {
    this.#settle(() => this.channel.nack(this.message, false, true));
  }

  /** Returns the message to the queue as a failed delivery. At the delivery limit, the broker parks the message. */
  fail(): void {
    this.#settle(() => this.channel.reject(this.message, true));
  }

  #settle(answer: () => void): void {
    if (this.#settled) return;
    this.#settled = true;
    try {
      if (!this.lost.aborted) answer();
    } catch {
      // The channel has just closed, so the broker redelivers the message.
    }
    this.onSettled();
  }
}
