import type { Commit } from '@keyfold/event-store';
import {
  BrokerUnavailable,
  EventPublisher,
  MessageRefused,
  UnsendableMessage,
  type OutgoingMessage,
} from '../src/publishing.js';

/** The outcome of a message. `lost`: it arrived, but its confirm did not. `unsent`: neither arrived. */
export type Fate = 'confirmed' | 'refused' | 'lost' | 'unsent' | 'unsendable';

/** An in-memory broker. `fateOf` decides the outcome of a message, possibly some iterations after it was sent. */
export class ModelPublisher extends EventPublisher {
  isReady = true;
  problem: string | undefined;
  readonly stall = undefined;
  /** Ids in order of arrival, including duplicates. */
  readonly arrived: string[] = [];
  /** Accounts that had two messages in flight at once. */
  readonly crowded: string[] = [];
  readonly #inFlight = new Set<string>();

  constructor(
    private readonly fateOf: (message: OutgoingMessage) => Fate | Promise<Fate> = () => 'confirmed',
    readonly broker: string[] = [],
  ) {
    super();
  }

  onReady(): () => void {
    return () => undefined;
  }

  async publish(message: OutgoingMessage): Promise<void> {
    const account = message.headers['account'] ?? '';
    if (this.#inFlight.has(account)) this.crowded.push(account);
    this.#inFlight.add(account);
    try {
      const fate = await this.fateOf(message);
      if (fate === 'confirmed' || fate === 'lost') {
        this.arrived.push(message.id);
        this.broker.push(message.id);
      }
      if (fate === 'refused') throw new MessageRefused('a queue is full');
      if (fate === 'lost' || fate === 'unsent') throw new BrokerUnavailable('the channel was closed');
      if (fate === 'unsendable') throw new UnsendableMessage('too large');
    } finally {
      this.#inFlight.delete(account);
    }
  }

  publishTo(_queue: string, message: OutgoingMessage): Promise<void> {
    return this.publish(message);
  }
}

/** Translates each event of a commit into a message with the id `<stream>:<version>:<index>`. */
export const modelMessagesOf = ({ stream, version, partition, at, events }: Commit): OutgoingMessage[] =>
  events.map(({ type }, index) => ({
    id: `${stream}:${version}:${index}`,
    type,
    at,
    headers: { account: partition },
    body: Buffer.from('{}'),
  }));
