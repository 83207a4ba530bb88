import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN_PASSWORD } from '../support/accounts.js';
import type { ScaledService } from '../support/scaled-service.js';
import { AccountClient } from '../support/account-client.js';
import { KeyTraffic } from './key-traffic.js';

const IN_FLIGHT = 32;
/** Milliseconds that a client waits after an unanswered request, so that a stopped gateway does not use up the plan. */
const PAUSE = 50;

/** Clients of all gateways add, remove and log in while the service is disturbed repeatedly. */
export class ScaledCampaign {
  readonly #clients: readonly AccountClient[];
  readonly #traffic: KeyTraffic;
  #next = 0;

  constructor(
    private readonly service: ScaledService,
    private readonly random: () => number,
    accounts: number,
  ) {
    this.#clients = service.urls.map((url) => new AccountClient(url, IN_FLIGHT));
    this.#traffic = new KeyTraffic(random, accounts);
  }

  begin(): Promise<void> {
    return this.#traffic.begin(this.#client(), ADMIN_PASSWORD);
  }

  /**
   * Runs a plan of requests in parallel, with the disturbance after a random number of answers. Waits for both and
   * returns the number of answers during the disturbance.
   */
  async disturbedBy(disturbance: () => Promise<void>, adds: number): Promise<number> {
    const tasks = this.#traffic.plan(adds);
    const disturbAfter = Math.ceil(tasks.length * (0.1 + 0.5 * this.random()));
    let answered = 0;
    let disturbed: Promise<number> | undefined;
    const waiting = tasks.values();
    const work = async () => {
      for (const task of waiting) {
        if (await task(this.#client())) answered++;
        else await sleep(PAUSE);
        if (answered === disturbAfter && !disturbed) {
          disturbed = disturbance().then(() => answered);
          // Rethrown below, after the requests.
          disturbed.catch(() => undefined);
        }
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, work));
    if (!disturbed)
      throw new Error(`only ${answered} of ${tasks.length} requests were answered: the disturbance never started`);
    return (await disturbed) - disturbAfter;
  }

  /** Compares the current answers of every gateway with what was acknowledged. Returns every violation so far. */
  async check(): Promise<string[]> {
    const violations = new Set<string>();
    for (const client of this.#clients) {
      for (const violation of await this.#traffic.check(client)) violations.add(violation);
      for (const request of client.ignored) violations.add(request);
    }
    return [...violations];
  }

  /** Returns the acknowledged changes since the last call that must produce an event. */
  takeAcknowledged(): string[] {
    return this.#traffic.takeAcknowledged();
  }

  close(): void {
    this.#clients.forEach((client) => client.close());
  }

  /** Returns the clients of running gateways in turn. */
  #client(): AccountClient {
    const running = this.#clients.filter((_, index) => this.service.gateway(index).isRunning);
    const client = running[this.#next++ % running.length];
    if (!client) throw new Error(`no gateway runs:\n${this.service.output()}`);
    return client;
  }
}
