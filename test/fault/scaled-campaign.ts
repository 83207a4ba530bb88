import { setTimeout as pause } from 'node:timers/promises';
import { ADMIN_PASSWORD } from '../support/accounts.js';
import type { ScaledService } from '../support/scaled-service.js';
import { AccountClient } from '../support/account-client.js';
import { KeyTraffic } from './key-traffic.js';

const IN_FLIGHT = 32;
/** What a client waits after a request without an answer, so that a gateway that is away does not eat up the plan (milliseconds). */
const PAUSE = 50;

/** Clients of all gateways add, remove and log in while something happens to the service, again and again. */
export class ScaledCampaign {
  readonly #clients: readonly AccountClient[];
  readonly #traffic: KeyTraffic;
  #turn = 0;

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
   * Runs a plan of requests side by side, and the disturbance after a random part of them was answered. Goes on until both are over;
   * tells how many were answered while the disturbance lasted.
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
        else await pause(PAUSE);
        if (answered === disturbAfter && !disturbed) {
          disturbed = disturbance().then(() => answered);
          // Thrown below, when the requests are over.
          disturbed.catch(() => undefined);
        }
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, work));
    if (!disturbed)
      throw new Error(`only ${answered} of ${tasks.length} requests were answered: nothing was disturbed`);
    return (await disturbed) - disturbAfter;
  }

  /** Compares what every gateway shows now with what clients were told; a sentence for each violation there ever was. */
  async check(): Promise<string[]> {
    const violations = new Set<string>();
    for (const client of this.#clients) {
      for (const violation of await this.#traffic.check(client)) violations.add(violation);
      for (const request of client.ignored) violations.add(request);
    }
    return [...violations];
  }

  /** What clients were told since the last call that others must hear of. */
  takeTold(): string[] {
    return this.#traffic.takeTold();
  }

  close(): void {
    this.#clients.forEach((client) => client.close());
  }

  /** The gateways in turn, but for those that do not run. */
  #client(): AccountClient {
    const running = this.#clients.filter((_, index) => this.service.gateway(index).isRunning);
    const client = running[this.#turn++ % running.length];
    if (!client) throw new Error(`no gateway runs:\n${this.service.output()}`);
    return client;
  }
}
