import type { Channel, ConsumeMessage } from 'amqplib';

/**
 * The one answer that a delivery gets. A second one would make the broker close the channel, and with it every other delivery; so only
 * the first counts. When the channel is gone no answer is needed: the broker delivers the message again.
 */
export class Settlement {
  #settled = false;

  constructor(
    private readonly channel: Channel,
    private readonly message: ConsumeMessage,
    /** Aborted when the channel is gone. */
    readonly lost: AbortSignal,
    private readonly onSettled: () => void,
  ) {}

  /** The message is done with. */
  ack(): void {
    this.#settle(() => this.channel.ack(this.message));
  }

  /** The message is as it was, and somebody else's now. */
  giveBack(): void {
    this.#settle(() => this.channel.nack(this.message, false, true));
  }

  /** The message is somebody else's now, and this delivery counts: after some the broker itself puts it aside. */
  fail(): void {
    this.#settle(() => this.channel.reject(this.message, true));
  }

  #settle(answer: () => void): void {
    if (this.#settled) return;
    this.#settled = true;
    try {
      if (!this.lost.aborted) answer();
    } catch {
      // The channel went away in this moment, so the message comes again.
    }
    this.onSettled();
  }
}
