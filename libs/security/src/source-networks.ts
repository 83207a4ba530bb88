import ipaddr from 'ipaddr.js';

/** Prefix lengths of networks that may belong to a single customer, from the widest to the one that counts as a source. */
const NETWORK_BITS = { ipv4: [24, 32], ipv6: [48, 56, 64] } as const;

/**
 * Returns the networks of an address from the widest to the narrowest: the /24 of an IPv4 address and the address itself, or the /48, /56
 * and /64 of an IPv6 address (RFC 6177: sites get between /48 and /64). Returns `unknown` for an invalid address.
 */
export function networksOf(address: string): readonly [widest: string, ...narrower: string[]] {
  if (!ipaddr.isValid(address)) return ['unknown'];
  const parsed = ipaddr.process(address);
  const [widest, ...narrower] = NETWORK_BITS[parsed.kind()];
  return [networkOf(parsed, widest), ...narrower.map((bits) => networkOf(parsed, bits))];
}

/** Returns the narrowest network of an address: an IPv4 address itself, or the /64 of an IPv6 address. */
export const sourceOf = (address: string): string => networksOf(address).at(-1)!;

function networkOf(address: ipaddr.IPv4 | ipaddr.IPv6, bits: number): string {
  if (address.kind() === 'ipv4' && bits === 32) return address.toString();
  const cidr = `${address.toString()}/${bits}`;
  const family = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${family.networkAddressFromCIDR(cidr).toString()}/${bits}`;
}
