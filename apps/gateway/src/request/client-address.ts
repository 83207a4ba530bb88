import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { isIPv4 } from 'node:net';

type Address = ReturnType<typeof ipaddr.process>;
type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** Peers that are believed when they name the address of their client. */
export class TrustedNetworks {
  readonly #networks: readonly Network[];

  /** `networks` contains addresses and CIDR networks. */
  constructor(networks: readonly string[]) {
    this.#networks = networks.map(networkOf);
  }

  /** Returns whether the address belongs to one of the networks; false if it is not an address. */
  contains(text: string): boolean {
    if (this.#networks.length === 0) return false;
    if (!ipaddr.isValid(text)) return false;
    const address: Address = ipaddr.process(text);
    return this.#networks.some(
      ([network, bits]) => network.kind() === address.kind() && address.match([network, bits] as never),
    );
  }
}

/**
 * Parses a CIDR network. A single address becomes the network that contains only itself.
 *
 * @throws Error if the text is neither.
 */
function networkOf(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128] as Network;
}

/** Unwraps an IPv4-mapped IPv6 address and removes the zone, which is only meaningful on one machine and may be long. */
export function plainAddress(address: string): string {
  // Most peers, without the parser.
  const inner = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
  if (isIPv4(inner)) return inner;
  return ipaddr.isValid(address) ? ipaddr.process(address.split('%', 1)[0]!).toString() : address;
}

/** Real proxy chains are short. The limit bounds the work that a forged header can cause. */
const MAX_HOPS = 100;

/**
 * Determines the IP address of the client. `X-Forwarded-For` and `X-Real-IP` count only if they come from trusted proxies. The original trusts
 * everyone, which makes its login lock useless.
 */
export class ClientAddress {
  readonly #trusted: TrustedNetworks;
  #isReported = false;

  /** `trusted` contains addresses and CIDR networks. `onIgnored` is called once, with the first untrusted peer that sent such a header. */
  constructor(
    trusted: readonly string[],
    private readonly onIgnored: (peer: string) => void,
  ) {
    this.#trusted = new TrustedNetworks(trusted);
  }

  /** Returns the address of the client, or an empty string if the connection is gone. */
  of({ raw, headers }: Pick<FastifyRequest, 'raw' | 'headers'>): string {
    const peer = raw.socket.remoteAddress ?? '';
    const forwarded = headerText(headers['x-forwarded-for']);
    const real = headerText(headers['x-real-ip']);
    if (forwarded === '' && real === '') return plainAddress(peer);
    if (!this.#trusted.contains(peer)) {
      this.#reportOnce(peer);
      return plainAddress(peer);
    }
    const hops = forwarded === '' ? [real] : forwarded.split(',').slice(-MAX_HOPS);
    return this.#clientIn(hops.map((hop) => hop.trim()).toReversed()) ?? plainAddress(peer);
  }

  /** Returns whether the request comes from a trusted proxy. */
  isProxied({ raw }: Pick<FastifyRequest, 'raw'>): boolean {
    return this.#trusted.contains(raw.socket.remoteAddress ?? '');
  }

  /** Returns the nearest untrusted hop, or the farthest trusted one. A hop that is not an address ends the chain. */
  #clientIn(hops: readonly string[]): string | undefined {
    let nearest: string | undefined;
    for (const hop of hops) {
      if (!ipaddr.isValid(hop)) break;
      nearest = plainAddress(hop);
      if (!this.#trusted.contains(hop)) break;
    }
    return nearest;
  }

  #reportOnce(peer: string): void {
    if (this.#isReported) return;
    this.#isReported = true;
    this.onIgnored(plainAddress(peer));
  }
}

const headerText = (value: string | string[] | undefined) => (Array.isArray(value) ? value.join(',') : (value ?? ''));
