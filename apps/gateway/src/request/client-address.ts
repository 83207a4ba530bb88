import ipaddr from 'ipaddr.js';
import type { FastifyRequest } from 'fastify';

type Address = ReturnType<typeof ipaddr.process>;
type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** Proxies in front of a site are a few; whoever sends thousands of addresses shall not have them all read. */
const MOST_HOPS = 100;

/**
 * Where a request comes from. `X-Forwarded-For` (read from the right up to the first address that is not trusted) and `X-Real-IP` are
 * believed from trusted proxies only; the original believes everybody, which makes its login lock useless.
 */
export class ClientAddress {
  readonly #trusted: readonly Network[];
  #warned = false;

  /** `trusted`: addresses and CIDR networks. `warn` hears once that a header was not believed. */
  constructor(
    trusted: readonly string[],
    private readonly warn: (message: string) => void,
  ) {
    this.#trusted = trusted.map(networkOf);
  }

  of({ raw, headers }: Pick<FastifyRequest, 'raw' | 'headers'>): string {
    const peer = raw.socket.remoteAddress ?? '';
    const forwarded = headerText(headers['x-forwarded-for']);
    const real = headerText(headers['x-real-ip']);
    if (forwarded === '' && real === '') return plain(peer);
    if (!this.#isTrusted(peer)) {
      this.#warnOnce(peer);
      return plain(peer);
    }
    const hops = forwarded === '' ? [real] : forwarded.split(',').slice(-MOST_HOPS);
    return this.#firstUntrusted(hops.map((hop) => hop.trim()).toReversed()) ?? plain(peer);
  }

  /** The first hop from the right that is no trusted proxy; a hop that is no address ends the chain, for nobody vouches for it. */
  #firstUntrusted(hops: readonly string[]): string | undefined {
    let nearest: string | undefined;
    for (const hop of hops) {
      if (!ipaddr.isValid(hop)) break;
      nearest = plain(hop);
      if (!this.#isTrusted(hop)) break;
    }
    return nearest;
  }

  #isTrusted(text: string): boolean {
    if (!ipaddr.isValid(text)) return false;
    const address: Address = ipaddr.process(text);
    return this.#trusted.some(
      ([network, bits]) => network.kind() === address.kind() && address.match([network, bits] as never),
    );
  }

  #warnOnce(peer: string): void {
    if (this.#warned) return;
    this.#warned = true;
    this.warn(
      `${plain(peer)} sent a forwarded address, which is not believed: if it is your proxy, name it in KEYFOLD_TRUSTED_PROXIES`,
    );
  }
}

/** One address is the network that holds only itself. Throws on a text that is neither. */
export function networkOf(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128] as Network;
}

/** Without the IPv6 wrapping of an IPv4 address, and without a zone, which means something on one machine only and may be long. */
const plain = (address: string) =>
  ipaddr.isValid(address) ? ipaddr.process(address.split('%', 1)[0]!).toString() : address;

const headerText = (value: string | string[] | undefined) => (Array.isArray(value) ? value.join(',') : (value ?? ''));
