import type { Channel, GetMessage } from 'amqplib';
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BrokerUnavailable } from '../../publishing.js';
import type { BrokerConnection } from '../connection/broker-connection.js';
import { channelProblemOf, closeChannel } from '../connection/channels.js';
import { MessageCopies } from '../publishing/message-copies.js';
import { COMMAND_QUEUE, PARKED_COMMANDS } from '../topology/topology.js';
import { envelopeOf } from './envelope.js';
import { redriveOptions } from './retry-processor.js';

/** A command that failed for good. */
export type ParkedCommand = Readonly<{
  /** The message id, or `#` and a part of the hash of the body if there is no valid id. */
  id: string;
  type: string;
  /** Why it was parked. */
  errorCode: string;
  attempts: number | undefined;
  firstFailedAt: string | undefined;
  bytes: number;
}>;

/** A parked command with headers and body. In `body`, invalid UTF-8 is replaced. */
export type ParkedCommandDetails = ParkedCommand &
  Readonly<{ headers: Readonly<Record<string, unknown>>; body: string }>;

/** Selects parked commands; a missing field matches all. */
export type ParkedSelection = Readonly<{ id?: string | undefined; type?: string | undefined }>;

type Action = 'keep' | 'remove' | 'stop';

type OnRemoved = (command: ParkedCommand) => void | Promise<void>;

/** Milliseconds that redriving one command may take. */
const REDRIVE_TIMEOUT = 30_000;
/** Maximum number of checks that requeued messages are back, and milliseconds between two. */
const CHECKS = 40;
const CHECK_INTERVAL = 25;

/**
 * Reads and removes parked commands. Reading takes each message from the queue and requeues it, so the order may change, and commands
 * that another operator reads at the same time are missing. Every method may throw `BrokerUnavailable`.
 */
export class ParkedCommands {
  readonly queue = PARKED_COMMANDS;

  constructor(private readonly connection: BrokerConnection) {}

  /** Returns the number of parked commands, without taking any from the queue. */
  async count(): Promise<number> {
    const channel = await this.connection.channel();
    try {
      return (await answered(channel.checkQueue(PARKED_COMMANDS))).messageCount;
    } finally {
      await closeChannel(channel).catch(() => undefined);
    }
  }

  /** Returns at most `most` of the selected commands. */
  list(selection: ParkedSelection, most = Infinity): Promise<ParkedCommand[]> {
    return this.#read(selection, parkedCommand, most);
  }

  /** Returns all commands with this id: a command that was sent twice is listed twice. */
  show(id: string): Promise<ParkedCommandDetails[]> {
    return this.#read({ id }, (message) => {
      const headers = message.properties.headers ?? {};
      return { ...parkedCommand(message), headers, body: message.content.toString('utf8') };
    });
  }

  /**
   * Resends up to `limit` commands to the command queue, as if for the first time. Removes each one, and calls `onRedriven`, once its
   * copy is confirmed.
   */
  async redrive(selection: ParkedSelection, limit: number, onRedriven: OnRemoved): Promise<void> {
    const copies = new MessageCopies(this.connection, () => undefined);
    const send = ({ properties, content }: GetMessage) =>
      copies.put(COMMAND_QUEUE, content, redriveOptions(properties), AbortSignal.timeout(REDRIVE_TIMEOUT));
    try {
      await this.#remove(selection, limit, send, onRedriven);
    } finally {
      await copies.close();
    }
  }

  /** Deletes the selected commands and calls `onDropped` for each. */
  drop(selection: ParkedSelection, onDropped: OnRemoved): Promise<void> {
    return this.#remove(selection, Infinity, async () => undefined, onDropped);
  }

  async #read<Value>(
    selection: ParkedSelection,
    valueOf: (message: GetMessage) => Value,
    most = Infinity,
  ): Promise<Value[]> {
    const found: Value[] = [];
    await this.#walk(selection, async (message) => {
      found.push(valueOf(message));
      return found.length < most ? 'keep' : 'stop';
    });
    return found;
  }

  async #remove(
    selection: ParkedSelection,
    limit: number,
    beforeRemoval: (message: GetMessage) => Promise<void>,
    onRemoved: OnRemoved,
  ): Promise<void> {
    let removed = 0;
    await this.#walk(selection, async (message) => {
      if (removed === limit) return 'stop';
      await beforeRemoval(message);
      removed += 1;
      await onRemoved(parkedCommand(message));
      return 'remove';
    });
  }

  /** Visits the messages that are in the queue now. Kept ones are requeued at the end, or by the broker if the connection is lost. */
  async #walk(selection: ParkedSelection, visit: (message: GetMessage) => Promise<Action>): Promise<void> {
    const channel = await this.connection.channel();
    try {
      const { messageCount } = await answered(channel.checkQueue(PARKED_COMMANDS));
      let taken = 0;
      let removed = 0;
      for (let action: Action = 'keep'; taken < messageCount && action !== 'stop'; taken++) {
        const message = await answered(channel.get(PARKED_COMMANDS));
        if (!message) break;
        action = selects(selection, message) ? await visit(message) : 'keep';
        if (action !== 'remove') continue;
        channel.ack(message);
        removed += 1;
      }
      channel.nackAll(true);
      await untilRequeued(channel, messageCount - removed);
    } finally {
      await closeChannel(channel);
    }
  }
}

/** Turns a failed request into `BrokerUnavailable`. */
async function answered<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    throw new BrokerUnavailable(`cannot read ${PARKED_COMMANDS}: ${channelProblemOf(error)}`, { cause: error });
  }
}

/** A quorum queue requeues messages asynchronously; the next read should find them. */
async function untilRequeued(channel: Channel, count: number): Promise<void> {
  for (let check = 0; check < CHECKS; check++) {
    if ((await answered(channel.checkQueue(PARKED_COMMANDS))).messageCount >= count) return;
    await sleep(CHECK_INTERVAL);
  }
}

function selects(selection: ParkedSelection, message: GetMessage): boolean {
  const parked = parkedCommand(message);
  const { id = parked.id, type = parked.type } = selection;
  return parked.id === id && parked.type === type;
}

/** Shows only validated values, because others could contain control characters of the terminal. */
function parkedCommand(message: GetMessage): ParkedCommand {
  const { id = hashOf(message.content), type = '-', firstFailedAt } = envelopeOf(message);
  const { 'x-attempt': attempts, ...headers }: Record<string, unknown> = message.properties.headers ?? {};
  return {
    id,
    type,
    // Without an error code, the broker itself parked the command, for example at the delivery limit.
    errorCode: [headers['x-error-code'], headers['x-first-death-reason']].find(isCode) ?? '-',
    attempts: typeof attempts === 'number' ? attempts : undefined,
    firstFailedAt,
    bytes: message.content.length,
  };
}

const isCode = (value: unknown): value is string => typeof value === 'string' && /^[a-z_-]{1,64}$/.test(value);

const hashOf = (content: Buffer) => `#${createHash('sha256').update(content).digest('hex').slice(0, 12)}`;
