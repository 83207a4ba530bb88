import { reasonOf } from '@keyfold/event-store';
import type { Channel, GetMessage } from 'amqplib';
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BrokerUnavailable } from '../messaging.errors.js';
import type { BrokerConnection } from './broker-connection.js';
import { envelopeOf } from './envelope.js';
import { closeChannel } from './close-channel.js';
import { MessageCopies } from './message-copies.js';
import { redriveOptions } from './retry-headers.js';
import { COMMAND_QUEUE, PARKED_COMMANDS } from './topology/index.js';

/** A command that no attempt carried out. */
export type ParkedCommand = Readonly<{
  /** Its id; of a message without one in the right form `#` and some letters of the hash of its body. */
  id: string;
  type: string;
  /** Why it was parked. */
  errorCode: string;
  attempts: number | undefined;
  firstFailedAt: string | undefined;
  bytes: number;
}>;

/** Everything that is known of a parked command; `body` as text, where letters that are none are replaced. */
export type ParkedCommandDetails = ParkedCommand &
  Readonly<{ headers: Readonly<Record<string, unknown>>; body: string }>;

/** Which of them; what is left out does not narrow. */
export type ParkedSelection = Readonly<{ id?: string; type?: string }>;

/** What becomes of a message that was looked at. */
type Verdict = 'keep' | 'remove' | 'end';

type Tell = (command: ParkedCommand) => void | Promise<void>;

/** How long a command may take to get into its queue, in milliseconds. */
const PATIENCE = 30_000;
/** Looks after messages that were given back, and milliseconds between two. */
const LOOKS = 40;
const LOOK_INTERVAL = 25;

/**
 * The commands that wait for an operator. Looking takes each from the queue and gives it back, so they may change places, and what
 * another operator looks at meanwhile is not seen. Every method may throw `BrokerUnavailable`.
 */
export class ParkedCommands {
  readonly queue = PARKED_COMMANDS;

  constructor(private readonly connection: BrokerConnection) {}

  /** How many wait; it takes none of them. */
  async count(): Promise<number> {
    const channel = await this.connection.channel();
    try {
      return (await asked(channel.checkQueue(PARKED_COMMANDS))).messageCount;
    } finally {
      await closeChannel(channel).catch(() => undefined);
    }
  }

  async list(selection: ParkedSelection): Promise<ParkedCommand[]> {
    const found: ParkedCommand[] = [];
    await this.#walk(selection, async (message) => {
      found.push(parkedCommand(message));
      return 'keep';
    });
    return found;
  }

  /** Those with this id: a command that was sent twice has it twice. */
  async show(id: string): Promise<ParkedCommandDetails[]> {
    const found: ParkedCommandDetails[] = [];
    await this.#walk({ id }, async (message) => {
      const headers = message.properties.headers ?? {};
      found.push({ ...parkedCommand(message), headers, body: message.content.toString('utf8') });
      return 'keep';
    });
    return found;
  }

  /**
   * Sends `limit` of them to the command queue again, as if for the first time; each leaves when its copy is confirmed, and is told then.
   */
  async redrive(selection: ParkedSelection, limit: number, tell: Tell): Promise<void> {
    const copies = new MessageCopies(this.connection, () => undefined);
    const send = ({ properties, content }: GetMessage) =>
      copies.put(COMMAND_QUEUE, content, redriveOptions(properties), AbortSignal.timeout(PATIENCE));
    try {
      await this.#remove(selection, limit, send, tell);
    } finally {
      await copies.close();
    }
  }

  /** Throws them away, and tells each. */
  drop(selection: ParkedSelection, tell: Tell): Promise<void> {
    return this.#remove(selection, Infinity, async () => undefined, tell);
  }

  async #remove(
    selection: ParkedSelection,
    limit: number,
    act: (message: GetMessage) => Promise<void>,
    tell: Tell,
  ): Promise<void> {
    let removed = 0;
    await this.#walk(selection, async (message) => {
      if (removed === limit) return 'end';
      await act(message);
      removed += 1;
      await tell(parkedCommand(message));
      return 'remove';
    });
  }

  /** Looks at those that are there now. What is kept goes back at the end, also when the broker goes away in the middle. */
  async #walk(selection: ParkedSelection, look: (message: GetMessage) => Promise<Verdict>): Promise<void> {
    const channel = await this.connection.channel();
    try {
      const { messageCount } = await asked(channel.checkQueue(PARKED_COMMANDS));
      let taken = 0;
      let removed = 0;
      for (let verdict: Verdict = 'keep'; taken < messageCount && verdict !== 'end'; taken++) {
        const message = await asked(channel.get(PARKED_COMMANDS));
        if (!message) break;
        verdict = selects(selection, message) ? await look(message) : 'keep';
        if (verdict !== 'remove') continue;
        channel.ack(message);
        removed += 1;
      }
      channel.nackAll(true);
      await untilBack(channel, messageCount - removed);
    } finally {
      await closeChannel(channel);
    }
  }
}

/** What was asked of the broker is answered, or it is away. */
async function asked<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    throw new BrokerUnavailable(`cannot look at ${PARKED_COMMANDS}: ${reasonOf(error)}`, { cause: error });
  }
}

/** A quorum queue takes messages back a moment later; the next look should find them. */
async function untilBack(channel: Channel, count: number): Promise<void> {
  for (let look = 0; look < LOOKS; look++) {
    if ((await asked(channel.checkQueue(PARKED_COMMANDS))).messageCount >= count) return;
    await sleep(LOOK_INTERVAL);
  }
}

function selects({ id, type }: ParkedSelection, message: GetMessage): boolean {
  const parked = parkedCommand(message);
  return (id === undefined || parked.id === id) && (type === undefined || parked.type === type);
}

/** Read as consumers read it: what has not the right form is not shown, for it could steer the terminal. */
function parkedCommand(message: GetMessage): ParkedCommand {
  const { id = hashOf(message.content), type = '-', firstFailedAt } = envelopeOf(message);
  const headers = message.properties.headers ?? {};
  const { 'x-attempt': attempts, 'x-error-code': errorCode } = headers;
  return {
    id,
    type,
    errorCode: isCode(errorCode) ? errorCode : reasonOfBroker(headers),
    attempts: typeof attempts === 'number' ? attempts : undefined,
    firstFailedAt,
    bytes: message.content.length,
  };
}

const isCode = (value: unknown): value is string => typeof value === 'string' && /^[a-z_-]{1,64}$/.test(value);

/** The broker parks by itself what ended too many tries without an answer. */
function reasonOfBroker({ 'x-first-death-reason': reason }: Record<string, unknown>): string {
  return isCode(reason) ? reason : '-';
}

const hashOf = (content: Buffer) => `#${createHash('sha256').update(content).digest('hex').slice(0, 12)}`;
