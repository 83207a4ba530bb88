import ipaddr from 'ipaddr.js';

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
export const plainAddress = (address: string): string =>
  ipaddr.isValid(address) ? ipaddr.process(address.split('%', 1)[0]!).toString() : address;
