import type { StandaloneProcess } from '../support/standalone-process.js';
import { AccountClient } from '../support/account-client.js';
import { KeyTraffic } from './key-traffic.js';

const IN_FLIGHT = 200;

/** Clients of many accounts add, remove and log in while the server is killed repeatedly. */
export class KillCampaign {
  readonly #traffic: KeyTraffic;
  /** Unexpected refusals. */
  readonly #refusals: string[] = [];

  constructor(
    private readonly server: StandaloneProcess,
    private readonly random: () => number,
    accounts: number,
  ) {
    this.#traffic = new KeyTraffic(random, accounts);
  }

  /** Creates the accounts and logs each of them in. */
  begin(adminPassword: string): Promise<void> {
    return this.#connected((client) => this.#traffic.begin(client, adminPassword));
  }

  /** Runs requests in parallel and kills the server after a random number of answers. Returns the number of answers. */
  async killInTheMiddle(adds: number): Promise<{ answered: number; planned: number }> {
    const tasks = this.#traffic.plan(adds);
    const killAfter = Math.floor(tasks.length * (0.1 + 0.5 * this.random()));
    let answered = 0;
    let killed: Promise<void> | undefined;
    await this.#connected(async (client) => {
      const waiting = tasks.values();
      const work = async () => {
        for (const task of waiting) {
          if (await task(client)) answered++;
          if (answered >= killAfter) killed ??= this.server.kill();
          if (killed) return;
        }
      };
      await Promise.all(Array.from({ length: IN_FLIGHT }, work));
    });
    await killed;
    return { answered, planned: tasks.length };
  }

  /** Compares the current answers of the server with what it acknowledged. Returns every violation so far. */
  async check(): Promise<string[]> {
    const violations = await this.#connected((client) => this.#traffic.check(client));
    return [...this.#refusals, ...violations];
  }

  async #connected<Result>(work: (client: AccountClient) => Promise<Result>): Promise<Result> {
    const client = new AccountClient(this.server.baseUrl, IN_FLIGHT);
    try {
      return await work(client);
    } finally {
      if (client.unavailable > 0) this.#refusals.push(`${client.unavailable} requests got 503`);
      this.#refusals.push(...client.ignored);
      client.close();
    }
  }
}
