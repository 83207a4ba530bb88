import { setTimeout as sleep } from 'node:timers/promises';
import { KeyTraffic } from '../fault/key-traffic.js';
import { seededRandom } from '../fault/seeded-random.js';
import { AccountClient } from '../support/account-client.js';
import { ADMIN_PASSWORD } from '../support/accounts.js';

const ACCOUNTS = 12;
const IN_FLIGHT = 4;
const ADDS_OF_A_ROUND = 100;

/** Milliseconds between the requests of a client, short enough for some requests to be in flight at any time. */
const PAUSE = 20;

/** Requests with an answer, requests without one, and answers that contradict earlier ones. */
export type Observed = Readonly<{ answered: number; failures: readonly string[]; violations: readonly string[] }>;

/** Clients that add and remove keys, log in and out and read, each with one request at a time. */
export class SteadyTraffic {
  #failures: string[] = [];
  #violations: string[] = [];
  #answered = 0;

  private constructor(
    private readonly client: WatchedClient,
    private readonly traffic: KeyTraffic,
  ) {}

  /** Creates accounts whose names begin with `name`. */
  static async begin(url: string, name: string): Promise<SteadyTraffic> {
    const client = new WatchedClient(url, IN_FLIGHT);
    const traffic = new KeyTraffic(seededRandom(1), ACCOUNTS, name);
    await traffic.begin(client, ADMIN_PASSWORD);
    return new SteadyTraffic(client, traffic);
  }

  /** Sends requests until `work` is done. */
  async during(work: () => Promise<unknown>): Promise<Observed> {
    this.#failures = [];
    this.#violations = [];
    this.#answered = 0;
    let isOver = false;
    const working = work().finally(() => (isOver = true));
    // Rethrown below.
    working.catch(() => undefined);
    while (!isOver) await this.#round();
    await working;
    return { answered: this.#answered, failures: this.#failures, violations: this.#violations };
  }

  /** Compares what the service answers now with everything that it acknowledged. Returns the violations. */
  check(): Promise<string[]> {
    return this.traffic.check(this.client);
  }

  /** Returns the acknowledged changes since the last call that must produce an event. */
  takeAcknowledged(): string[] {
    return this.traffic.takeAcknowledged();
  }

  close(): void {
    this.client.close();
  }

  async #round(): Promise<void> {
    const waiting = this.traffic.plan(ADDS_OF_A_ROUND).values();
    const work = async () => {
      for (const task of waiting) {
        if (await task(this.client)) this.#answered++;
        await sleep(PAUSE);
      }
    };
    const client = async () => work().catch((error: Error) => void this.#violations.push(error.message));
    await Promise.all(Array.from({ length: IN_FLIGHT }, client));
    // The next round needs to know what exists.
    for (let found; !found;) {
      found = await this.check().catch(() => sleep(PAUSE));
      this.#violations.push(...(found ?? []));
    }
    this.#failures.push(...this.client.failures.splice(0));
  }
}

/** Records requests without an answer. */
class WatchedClient extends AccountClient {
  readonly failures: string[] = [];

  override async send(...request: Parameters<AccountClient['send']>): ReturnType<AccountClient['send']> {
    const before = this.unavailable;
    const answer = await super.send(...request);
    const [method, path] = request;
    const how = this.unavailable > before ? '502, 503 or 504' : 'no answer';
    if (!answer) this.failures.push(`${new Date().toISOString()} ${method} ${path}: ${how}`);
    return answer;
  }
}
