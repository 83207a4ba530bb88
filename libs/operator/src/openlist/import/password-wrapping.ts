import { Argon2PasswordHasher, wrapOpenlistHash } from '@keyfold/security';
import pLimit from 'p-limit';
import { availableParallelism } from 'node:os';
import type { OperatorOutput } from '../../command-run.js';
import { counted } from '../../output/printable.js';
import type { SentAccount } from './import-plan.js';
import { withoutPassword } from './import-requests.js';
import type { OpenlistAccount } from '../database/openlist-rows.js';

const CONCURRENCY = availableParallelism();
/** How long to measure (milliseconds). */
const SAMPLE_TIME = 300;

/** Wraps the password hashes of an import in argon2id, on all CPUs, and shows the progress. */
export class PasswordWrapping {
  readonly #hasher = new Argon2PasswordHasher({ concurrency: CONCURRENCY, maxWaiting: 1 });
  readonly #limit = pLimit(CONCURRENCY);
  #done = 0;

  /** `total` is the number of passwords to wrap. */
  constructor(
    private readonly total: number,
    private readonly output: OperatorOutput,
  ) {}

  /** Reports how long all passwords will take, by a sample. */
  async announce(): Promise<void> {
    if (this.total === 0) return;
    const sample = { hash: '0'.repeat(64), salt: '' };
    const round = () => Promise.all(Array.from({ length: CONCURRENCY }, () => wrapOpenlistHash(sample, this.#hasher)));
    // The first hash also starts threads.
    await round();
    const start = performance.now();
    let rounds = 0;
    for (; performance.now() - start < SAMPLE_TIME; rounds++) await round();
    const seconds = ((performance.now() - start) / 1_000 / rounds) * Math.ceil(this.total / CONCURRENCY);
    const time = seconds < 100 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
    await this.output.err(
      `Wrapping ${counted(this.total, 'password')} in argon2id takes about ${time} on ${counted(CONCURRENCY, 'CPU')}`,
    );
  }

  /** Returns the accounts as they are sent, with the wrapped hashes of those whose password is wanted. */
  wrap(
    accounts: readonly OpenlistAccount[],
    isWanted: (account: OpenlistAccount) => boolean,
    signal: AbortSignal,
  ): Promise<SentAccount[]> {
    return this.#limit.map(accounts, async (account) => {
      const { hash, salt } = account;
      if (hash === undefined || !isWanted(account)) return withoutPassword(account);
      signal.throwIfAborted();
      const wrappedHash = await wrapOpenlistHash({ hash, salt }, this.#hasher);
      await this.output.progress?.({ done: ++this.#done, total: this.total, unit: 'password' });
      return { ...withoutPassword(account), wrappedHash };
    });
  }
}
