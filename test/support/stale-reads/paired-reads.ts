import type { AccountClient, Envelope } from '../account-client.js';

/** Two clients, of two gateways or with connections to different threads: one writes, the other reads. */
export type ClientPair = readonly [AccountClient, AccountClient];
export type Send = (client: AccountClient) => Promise<Envelope | undefined>;
/** Returns what is wrong with an answer; `undefined` if it is correct. */
export type Judge = (answer: Envelope) => string | undefined;

/** Makes changes through one client and reads each through the other; the clients alternate. Records what was stale. */
export class PairedReads {
  /** A sentence for each violation. */
  readonly violations: string[] = [];
  /** The number of changes that were read back. */
  pairs = 0;

  constructor(
    private readonly clients: ClientPair,
    private readonly subject: () => string,
  ) {}

  /** Returns the client that makes the next change. */
  nextWriter(): AccountClient {
    return this.clients[this.pairs % 2 === 0 ? 0 : 1];
  }

  /** Records a round that cannot continue, for example because a login is refused, as a violation. */
  async runRound(round: () => Promise<void>): Promise<boolean> {
    try {
      await round();
      return true;
    } catch (error) {
      this.#report(error instanceof Error ? error.message : String(error));
      return false;
    }
  }

  /** Makes one change and reads it back. */
  async pair(subject: string, write: Send, read: Send, judge: Judge): Promise<void> {
    const writer = this.pairs++ % 2;
    const [writing, reading] = writer === 0 ? this.clients : [this.clients[1], this.clients[0]];
    const written = await write(writing);
    if (written?.code !== 200) return this.#report(`${subject}: the change itself got ${inWords(written)}`);
    const answer = await read(reading);
    const violation = answer ? judge(answer) : 'no answer';
    if (violation !== undefined)
      this.#report(`${subject} through client ${writer} was read through the other: ${violation}`);
  }

  #report(sentence: string): void {
    this.violations.push(`${this.subject()}, pair ${this.pairs}: ${sentence}`);
  }
}

/** Returns a judge that expects a refusal with code 401 and these words. */
export const refusedWith =
  (words: string): Judge =>
  (answer) =>
    answer.code === 401 && answer.message.includes(words) ? undefined : `${inWords(answer)}, not 401 with "${words}"`;

export const inWords = (answer: Envelope | undefined) => (answer ? `${answer.code} ${answer.message}` : 'no answer');
