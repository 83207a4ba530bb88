import { hash } from 'node:crypto';

const FEWEST = 2 ** 12;

/**
 * Notices keys that come twice, in bounded memory: 8 bytes for a key's fingerprint, two unrelated ones having the same is less likely
 * than one in a million even for the largest set. When `most` keys were seen it forgets them and begins anew.
 */
export class SeenKeys {
  #fingerprints = new BigUint64Array(FEWEST);
  #count = 0;

  constructor(private readonly most = 2 ** 21) {}

  /** Whether the key came before. */
  add(key: string): boolean {
    if (this.#count >= this.most) {
      this.#fingerprints = new BigUint64Array(FEWEST);
      this.#count = 0;
    }
    if (this.#count * 2 >= this.#fingerprints.length) this.#grow();
    // 0 marks a free place.
    const fingerprint = hash('md5', key, 'buffer').readBigUInt64LE() || 1n;
    const place = placeOf(this.#fingerprints, fingerprint);
    if (this.#fingerprints[place] === fingerprint) return true;
    this.#fingerprints[place] = fingerprint;
    this.#count++;
    return false;
  }

  #grow(): void {
    const larger = new BigUint64Array(this.#fingerprints.length * 2);
    for (const fingerprint of this.#fingerprints) {
      if (fingerprint !== 0n) larger[placeOf(larger, fingerprint)] = fingerprint;
    }
    this.#fingerprints = larger;
  }
}

/** Where a fingerprint stands, or would stand: the first place from its own on that has it or is free. */
function placeOf(fingerprints: BigUint64Array, fingerprint: bigint): number {
  const mask = fingerprints.length - 1;
  let place = Number(fingerprint & BigInt(mask));
  while (fingerprints[place] !== 0n && fingerprints[place] !== fingerprint) place = (place + 1) & mask;
  return place;
}
