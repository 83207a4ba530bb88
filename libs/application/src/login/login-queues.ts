import { networksOf } from '@keyfold/security';
import { KeyedQueue } from '../keyed-queue.js';

/** So many logins may wait: of one account from one source or device, of one source, and of one network (a /24 or /48). */
const WAITING_PER_PAIR = 200;
const WAITING_PER_SOURCE = 400;
const WAITING_PER_NETWORK = 1_000;
/** A try counts while it is checked, so this must stay well below what one source may get wrong. */
const TRIES_PER_SOURCE = 20;

/** Who logs in: a text for the account, the client's address, and the id of a device that the account is known to use. */
export type LoginPlace = Readonly<{ account: string; address: string; device: string | undefined }>;

/**
 * Bounds the logins of one origin that are under way in this process. Right ones in parallel must not be refused for each other's sake:
 * one of a pair runs at a time, and some of a source.
 */
export class LoginPlaces {
  readonly #pairs = new KeyedQueue();
  readonly #sources = new KeyedQueue(TRIES_PER_SOURCE);
  readonly #networks = new KeyedQueue(Infinity);

  /** Who has room there: `known` where only the line of the whole network is full. */
  roomFor(place: LoginPlace): 'all' | 'known' | 'nobody' {
    const { pair, source, network } = linesOf(place);
    if (this.#pairs.size(pair) >= WAITING_PER_PAIR || this.#sources.size(source) >= WAITING_PER_SOURCE) return 'nobody';
    return this.#networks.size(network) < WAITING_PER_NETWORK ? 'all' : 'known';
  }

  /** Runs a login when it has a place. */
  run<Result>(place: LoginPlace, login: () => Promise<Result>): Promise<Result> {
    const { pair, source, network } = linesOf(place);
    return this.#networks.run(network, () => this.#pairs.run(pair, () => this.#sources.run(source, login)));
  }
}

/** A device waits for itself only, and shares the line of its network with other devices. */
function linesOf({ account, address, device }: LoginPlace): Record<'pair' | 'source' | 'network', string> {
  const networks = networksOf(address);
  const source = device ? `device ${device}` : networks.at(-1)!;
  return { pair: `${account}:${source}`, source, network: device ? `devices in ${networks[0]}` : networks[0] };
}
