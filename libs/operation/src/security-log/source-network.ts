import ipaddr from 'ipaddr.js';

/** Bits that the log keeps of an address: usually one subscriber line's neighbourhood, or the network of one site. */
const IPV4_BITS = 24;
const IPV6_BITS = 48;

/** The /24 of an IPv4 address or the /48 of an IPv6 address, `unknown` for everything else (docs/decisions/0057). */
export function sourceNetwork(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4')
    return `${ipaddr.IPv4.networkAddressFromCIDR(`${parsed.toString()}/${IPV4_BITS}`).toString()}/${IPV4_BITS}`;
  const [bare] = parsed.toString().split('%');
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${bare}/${IPV6_BITS}`).toString()}/${IPV6_BITS}`;
}
