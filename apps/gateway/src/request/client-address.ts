import { RepeatedLine } from '@keyfold/process';
import { Logger } from '@nestjs/common';
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
/** The headers that name the client. */
const HEADERS = ['x-forwarded-for', 'x-real-ip', 'forwarded'] as const;
type Header = (typeof HEADERS)[number];

/**
 * Determines the IP address of the client. `X-Forwarded-For`, `X-Real-IP` and `Forwarded` (RFC 7239) count only if they come from trusted proxies and
 * do not contradict each other. The original trusts everyone, which makes its login lock useless.
 */
export class ClientAddress {
  readonly #trusted: TrustedNetworks;
  readonly #repeated = new RepeatedLine(undefined, 60_000);
  #isReported = false;

  /** `trusted` contains addresses and CIDR networks. `advice` is logged once, with the first untrusted peer that sent such a header. */
  constructor(
    trusted: readonly string[],
    private readonly advice: string,
    private readonly log: Pick<Logger, 'warn'> = new Logger('ClientAddress'),
  ) {
    this.#trusted = new TrustedNetworks(trusted);
  }

  /** Returns the address of the client, or an empty string if the connection is gone. */
  of({ raw, headers }: Pick<FastifyRequest, 'raw' | 'headers'>): string {
    const peer = raw.socket.remoteAddress ?? '';
    const sent = HEADERS.filter((name) => headerText(headers[name]) !== '');
    if (sent.length === 0) return plainAddress(peer);
    if (!this.#trusted.contains(peer)) {
      this.#reportOnce(peer);
      return plainAddress(peer);
    }
    const found = sent.map((header) => this.#clientIn(header, headerText(headers[header]), peer));
    // A header that names only proxies contradicts no other, unless it has the whole chain.
    const isChain = (index: number) => sent[index] === 'x-forwarded-for';
    const clients = found.filter((address, index) => isChain(index) || !this.#trusted.contains(address));
    const [client = found[0], ...others] = new Set(clients);
    // The proxy writes one of them, and the client may have written the others.
    if (others.length > 0) this.#reportContradiction(sent, peer);
    return (others.length === 0 && client) || plainAddress(peer);
  }

  /** Returns whether the request comes from a trusted proxy. */
  isProxied({ raw }: Pick<FastifyRequest, 'raw'>): boolean {
    return this.#trusted.contains(raw.socket.remoteAddress ?? '');
  }

  /** Returns the nearest untrusted hop, or the farthest trusted one; an empty text if a hop on the way is not an address. */
  #clientIn(header: Header, text: string, peer: string): string {
    let nearest = peer;
    // A comma in a quoted text also ends a hop: what a client writes on the left never hides what a proxy adds on the right.
    for (const hop of text.split(',').slice(-MAX_HOPS).toReversed()) {
      const address = addressIn(header === 'forwarded' ? forwardedFor(hop.trim()) : hop.trim());
      if (address === undefined) {
        this.#reportUnreadable(header, text, peer);
        return '';
      }
      nearest = address;
      if (!this.#trusted.contains(address)) break;
    }
    return plainAddress(nearest);
  }

  #reportOnce(peer: string): void {
    if (this.#isReported) return;
    this.#isReported = true;
    this.log.warn({ peer: plainAddress(peer) }, this.advice);
  }

  #reportContradiction(headers: readonly Header[], peer: string): void {
    this.#repeated.write('contradiction', (omitted) =>
      this.log.warn(
        { peer: plainAddress(peer), headers: headers.join(', '), omitted },
        'forwarded headers name different clients, so the proxy counts as the client. Let the proxy remove those that it does not write',
      ),
    );
  }

  #reportUnreadable(header: Header, text: string, peer: string): void {
    this.#repeated.write(header, (omitted) =>
      this.log.warn(
        { peer: plainAddress(peer), header, shape: shapeOf(text), omitted },
        'cannot read the client address in a forwarded header, so the proxy counts as the client. Correct the header in the proxy',
      ),
    );
  }
}

const headerText = (value: string | string[] | undefined) => (Array.isArray(value) ? value.join(',') : (value ?? ''));

/** Reads an address as proxies write it: an IPv6 address in brackets or without, and a port or none. */
function addressIn(node: string): string | undefined {
  const [, ipv6, ipv4] = /^(?:\[([^\]]+)\]|([\d.]+))(?::[\w.-]+)?$/.exec(node) ?? [];
  const address = ipv6 ?? ipv4 ?? node;
  return ipaddr.isValid(address) ? address : undefined;
}

/** Returns the value of `for` in one element of `Forwarded`; an empty text if it has none or does not follow the grammar. */
function forwardedFor(element: string): string {
  let node = '';
  let length = 0;
  for (const [pair, name, quoted, token] of element.matchAll(/([^\s=;"]+)=(?:"([^"\\]*)"|([^\s;"]*))\s*(?:;\s*|$)/gy)) {
    length += pair.length;
    if (name!.toLowerCase() === 'for') node = quoted ?? token!;
  }
  return length === element.length ? node : '';
}

/** Shows the form of a header, whose value is personal: `a=9.9.9.9` for `for=203.0.113.7`. */
const shapeOf = (text: string) =>
  text
    .slice(-200)
    .replace(/[^\x20-\x7e]/g, '?')
    .replace(/[0-9]+/g, '9')
    .replace(/[A-Za-z]+/g, 'a');

/** Returns the value that the nearest proxy wrote. */
export const lastOf = (header: string | string[] | undefined) =>
  header?.toString().split(',').at(-1)?.trim().toLowerCase();
