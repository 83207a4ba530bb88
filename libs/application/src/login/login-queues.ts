import { KeyedQueue } from '@keyfold/concurrency';
import { networksOf } from '@keyfold/security';

/** Maximum number of queued logins: for an account from one source or device, for one source, and for one network (a /24 or /48). */
export const MAX_PER_PAIR = 200;
export const MAX_PER_SOURCE = 400;
export const MAX_PER_NETWORK = 1_000;
/** An attempt counts while it is checked, so this must stay well below the number of failures that one source may have. */
const CONCURRENT_PER_SOURCE = 20;

/** Identifies a login for its queues: a text for the account, the client's address, and the id of a device known to the account. */
export type LoginIdentity = Readonly<{ account: string; address: string; device: string | undefined }>;

/** Leaves the queues. Call it exactly once. */
export type LeaveQueues = () => void;

/**
 * Queues the logins of a process. Concurrent correct logins must not be throttled because of each other, so a pair has one login in
 * flight, and a source a few.
 */
export abstract class LoginQueues {
  /**
   * Waits until all queues of a login admit it. Resolves to `full` at once if the login cannot queue up, and to `known only`
   * if it can only with `isKnown`, which says that its source is known to the account.
   */
  abstract enter(identity: LoginIdentity, isKnown: boolean): Promise<LeaveQueues | 'full' | 'known only'>;
}

/** The queues in the memory of one thread. */
export class InMemoryLoginQueues extends LoginQueues {
  readonly #pairs = new KeyedQueue();
  readonly #sources = new KeyedQueue(CONCURRENT_PER_SOURCE);
  readonly #networks = new KeyedQueue(Infinity);

  async enter(identity: LoginIdentity, isKnown: boolean): Promise<LeaveQueues | 'full' | 'known only'> {
    const { pair, source, network } = keysOf(identity);
    if (this.#pairs.size(pair) >= MAX_PER_PAIR || this.#sources.size(source) >= MAX_PER_SOURCE) return 'full';
    // Strangers who fill the queue of a network must not lock out sources in it that are known to the account.
    if (!isKnown && this.#networks.size(network) >= MAX_PER_NETWORK) return 'known only';
    return new Promise((entered) => {
      const login = () => new Promise<void>((left) => entered(left));
      void this.#networks.run(network, () => this.#pairs.run(pair, () => this.#sources.run(source, login)));
    });
  }
}

/** Returns the keys of the queues. A known device has a source queue of its own, and shares a network queue with other devices only. */
function keysOf({ account, address, device }: LoginIdentity): Record<'pair' | 'source' | 'network', string> {
  const networks = networksOf(address);
  const source = device ? `device ${device}` : networks.at(-1)!;
  return { pair: `${account}:${source}`, source, network: device ? `devices in ${networks[0]}` : networks[0] };
}
