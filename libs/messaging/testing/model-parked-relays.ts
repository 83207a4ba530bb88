import { ParkedRelays, type ParkedRelay } from '../src/relay/parked-relays.js';

/** The port in as few words as possible. */
export class ModelParkedRelays extends ParkedRelays {
  readonly #records = new Map<string, ParkedRelay>();

  async park(parked: ParkedRelay): Promise<void> {
    const known = this.#records.get(keyOf(parked));
    if (!known || known.epoch <= parked.epoch) this.#records.set(keyOf(parked), parked);
  }

  async unpark(parked: ParkedRelay): Promise<void> {
    const known = this.#records.get(keyOf(parked));
    if (known?.epoch === parked.epoch && known.position === parked.position) this.#records.delete(keyOf(parked));
  }

  async all(slot?: number): Promise<ParkedRelay[]> {
    return [...this.#records.values()]
      .filter((record) => slot === undefined || record.slot === slot)
      .toSorted((left, right) => left.at - right.at);
  }
}

const keyOf = ({ slot, partition }: ParkedRelay) => `${slot}/${partition}`;
