import { networksOf } from '@keyfold/security';
import { KeyedQueue } from '../keyed-queue.js';

/** Maximum number of queued logins: for an account from one source or device, for one source, and for one network (a /24 or /48). */
const MAX_PER_PAIR = 200;
const MAX_PER_SOURCE = 400;
const MAX_PER_NETWORK = 1_000;
/** An attempt counts while it is checked, so this must stay well below the number of failures that one source may have. */
const CONCURRENT_PER_SOURCE = 20;

/** Identifies a login for its queues: a text for the account, the client's address, and the id of a device known to the account. */
export type LoginIdentity = Readonly<{ account: string; address: string; device: string | undefined }>;

/**
 * Queues the logins of this process. Concurrent correct logins must not be throttled because of each other, so a pair has one login in
 * flight, and a source a few.
 */
export class LoginQueues {
  readonly #pairs = new KeyedQueue();
  readonly #sources = new KeyedQueue(CONCURRENT_PER_SOURCE);
  readonly #networks = new KeyedQueue(Infinity);

  /** Returns who may still queue up: `known` sources only if just the queue of the network is full. */
  openTo(identity: LoginIdentity): 'all' | 'known' | 'nobody' {
    const { pair, source, network } = keysOf(identity);
    if (this.#pairs.size(pair) >= MAX_PER_PAIR || this.#sources.size(source) >= MAX_PER_SOURCE) return 'nobody';
    return this.#networks.size(network) < MAX_PER_NETWORK ? 'all' : 'known';
  }

  /** Runs a login when its turn comes in all of its queues. */
  run<Result>(identity: LoginIdentity, login: () => Promise<Result>): Promise<Result> {
    const { pair, source, network } = keysOf(identity);
    return this.#networks.run(network, () => this.#pairs.run(pair, () => this.#sources.run(source, login)));
  }
}

/** Returns the keys of the queues. A known device has a source queue of its own, and shares a network queue with other devices only. */
function keysOf({ account, address, device }: LoginIdentity): Record<'pair' | 'source' | 'network', string> {
  const networks = networksOf(address);
  const source = device ? `device ${device}` : networks.at(-1)!;
  return { pair: `${account}:${source}`, source, network: device ? `devices in ${networks[0]}` : networks[0] };
}
