import { ParkedAccounts, type ParkedAccount } from '../src/relay/parked-accounts.js';

/** An in-memory model of the port. */
export class ModelParkedAccounts extends ParkedAccounts {
  readonly #records = new Map<string, ParkedAccount>();
  readonly #retries = new Set<ParkedAccount>();

  async park(parked: ParkedAccount): Promise<void> {
    const known = this.#records.get(keyOf(parked));
    if (!known || known.epoch <= parked.epoch) this.#records.set(keyOf(parked), parked);
  }

  async unpark(parked: ParkedAccount): Promise<void> {
    const known = this.#records.get(keyOf(parked));
    if (known?.epoch === parked.epoch && known.position === parked.position) this.#records.delete(keyOf(parked));
  }

  async all(slot?: number): Promise<ParkedAccount[]> {
    return [...this.#records.values()]
      .filter((record) => slot === undefined || record.slot === slot)
      .toSorted((left, right) => left.at - right.at);
  }

  async page(offset: number, limit: number): Promise<Readonly<{ items: ParkedAccount[]; total: number }>> {
    const all = await this.all();
    return { items: all.slice(offset, offset + limit), total: all.length };
  }

  async requestRetry(partition: string): Promise<boolean> {
    const parked = [...this.#records.values()].filter((record) => record.partition === partition);
    for (const record of parked) this.#retries.add(record);
    return parked.length > 0;
  }

  async takeRetries(slots: readonly number[]): Promise<ParkedAccount[]> {
    const taken = [...this.#retries].filter(({ slot }) => slots.includes(slot));
    for (const record of taken) this.#retries.delete(record);
    return taken;
  }
}

const keyOf = ({ slot, partition }: ParkedAccount) => `${slot}/${partition}`;
