import type { ModuleRef } from '@nestjs/core';
import { UnknownElementException } from '@nestjs/core/errors/exceptions/unknown-element.exception.js';
import type { Type } from '@nestjs/common';
import { KeyedQueue } from '@keyfold/concurrency';
import { BrokerUnavailable } from '@keyfold/messaging';
import type { Health, Part } from '@keyfold/process';
import { reasonOf } from '@keyfold/reporting';
import { BrokerCheck, ConsumedQueues } from '@keyfold/wiring';

/** A command of another service that is parked in RabbitMQ. */
export type ParkedMessage = Readonly<{
  id: string;
  type: string;
  errorCode: string;
  firstFailedAt: string | undefined;
}>;

/** Maximum number of parked messages that are shown. Each is taken from its queue for a moment. */
export const MOST_MESSAGES = 100;

/** The dependencies of the process, and its broker if it has one. Only the owner thread knows them. */
export abstract class ProcessState {
  abstract parts(): Promise<readonly Part[]>;
  /** Returns at most `MOST_MESSAGES` parked messages; undefined without a broker, or while it is unavailable. */
  abstract parkedMessages(): Promise<readonly ParkedMessage[] | undefined>;
  /** Resends a parked message. Returns whether there is one with this id; undefined like `parkedMessages`. */
  abstract retryMessage(id: string): Promise<boolean | undefined>;
}

/** The state of the process in its owner thread. `container` may contain the broker. */
export class OwnState extends ProcessState {
  /** One reader at a time, because each takes the messages out of their queue for a moment. */
  readonly #readers = new KeyedQueue();

  constructor(
    private readonly health: Health,
    private readonly container: ModuleRef,
  ) {
    super();
  }

  async parts(): Promise<readonly Part[]> {
    const parts = await this.health.parts();
    const broker = this.#provided(BrokerCheck);
    // A process whose only work are messages has it among its checks, but a gateway works without.
    return broker ? [...parts, brokerPart(broker)] : parts;
  }

  parkedMessages(): Promise<readonly ParkedMessage[] | undefined> {
    return this.#onParked(({ parked }) => parked.list({}, MOST_MESSAGES));
  }

  retryMessage(id: string): Promise<boolean | undefined> {
    return this.#onParked(async ({ parked }) => {
      let isFound = false;
      await parked.redrive({ id }, 1, () => void (isFound = true));
      return isFound;
    });
  }

  async #onParked<Result>(work: (queues: ConsumedQueues) => Promise<Result>): Promise<Result | undefined> {
    const queues = this.#provided(ConsumedQueues);
    try {
      return queues && (await this.#readers.run('', () => work(queues)));
    } catch (error) {
      if (error instanceof BrokerUnavailable) return undefined;
      throw error;
    }
  }

  #provided<Instance>(type: Type<Instance>): Instance | undefined {
    try {
      return this.container.get(type, { strict: false });
    } catch (error) {
      if (error instanceof UnknownElementException) return undefined;
      throw error;
    }
  }
}

function brokerPart(broker: BrokerCheck): Part {
  try {
    const warning = broker.run();
    return { name: 'rabbitmq', state: warning === undefined ? 'up' : 'warning', detail: warning ?? '' };
  } catch (error) {
    return { name: 'rabbitmq', state: 'down', detail: reasonOf(error) };
  }
}
