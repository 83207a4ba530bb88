import ipaddr from 'ipaddr.js';
import type { FastifyRequest } from 'fastify';
import { plainAddress, TrustedNetworks } from './trusted-networks.js';

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
