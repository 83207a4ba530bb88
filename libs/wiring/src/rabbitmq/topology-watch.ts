import type { OnApplicationShutdown } from '@nestjs/common';
import { reasonOf } from '@keyfold/event-store';
import type { BrokerConnection } from '@keyfold/messaging/rabbitmq';

/** Milliseconds between two looks at a topology that is incomplete. */
const PAUSE = 30_000;
/** Milliseconds after a look that failed, doubled with each up to `PAUSE`: what keeps a connected broker from answering is soon over. */
const FIRST_PAUSE = 1_000;

type Log = Readonly<{ log(text: string): void; warn(text: string): void }>;

export type TopologyWatchOptions = Readonly<{
  /** Answers what is missing, one text each; may make it. Throws when it cannot tell. */
  look: () => Promise<readonly string[]>;
  log: Log;
  /** For tests. */
  pause?: number;
}>;

/** Looks at every connect whether RabbitMQ has what Keyfold needs, then again until it has. Tells once what is missing. */
export class TopologyWatch implements OnApplicationShutdown {
  #missing: readonly string[] | undefined;
  #told = '';
  /** Looks that failed since the last that did not. */
  #failed = 0;
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;
  readonly #listeners = new Set<() => void>();
  readonly #endConnects: () => void;

  constructor(
    private readonly connection: BrokerConnection,
    private readonly options: TopologyWatchOptions,
  ) {
    this.#endConnects = connection.onConnected(() => this.#look());
    if (connection.state !== 'disconnected') this.#look();
  }

  /** Whether nothing was missing at the last look. */
  get isComplete(): boolean {
    return this.#missing?.length === 0;
  }

  /** What was missing at the last look; empty before the first. */
  get missing(): readonly string[] {
    return this.#missing ?? [];
  }

  /** Calls `listener` once, as soon as the topology is complete: at once where it is. Answers what calls that off. */
  onTopologyReady(listener: () => void): () => void {
    if (this.isComplete) listener();
    else this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Something speaks against it: looks again, and goes on looking while anything is missing. */
  lookAgain(): void {
    this.#look();
  }

  /** A look that is under way ends with its connection, and nobody hears of it. */
  onApplicationShutdown(): void {
    this.#ended = true;
    this.#endConnects();
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }

  /** A look that is under way when another is wanted may be of a connection that is gone: the next one comes after it. */
  #look(): void {
    clearTimeout(this.#timer);
    const before = this.#looking ?? Promise.resolve();
    const looking = before.then(() => this.#lookNow());
    this.#looking = looking;
    void looking.then(() => {
      if (this.#looking === looking) this.#looking = undefined;
    });
  }

  async #lookNow(): Promise<void> {
    if (this.#ended || this.connection.state === 'disconnected') return;
    try {
      const missing = await this.options.look();
      this.#failed = 0;
      if (!this.#ended) this.#found(missing);
    } catch (error) {
      this.#failed += 1;
      this.#tell(`cannot look at the topology, trying again: ${reasonOf(error)}`);
    }
    if (this.#ended || this.isComplete) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), this.#pause).unref();
  }

  get #pause(): number {
    const { pause = PAUSE } = this.options;
    return this.#failed === 0 ? pause : Math.min(pause, FIRST_PAUSE * 2 ** (this.#failed - 1));
  }

  #found(missing: readonly string[]): void {
    this.#missing = missing;
    if (missing.length > 0)
      return this.#tell(`RabbitMQ lacks what Keyfold needs, looking again: ${missing.join('; ')}`);
    if (this.#told !== '') this.options.log.log('RabbitMQ has what Keyfold needs now');
    this.#told = '';
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener();
  }

  #tell(text: string): void {
    if (text === this.#told || this.#ended) return;
    this.#told = text;
    this.options.log.warn(text);
  }
}
