import dns, { type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP } from 'node:net';

/*
 * Loaded before a program (`node --import`), it gives `localhost` both addresses, as Debian does by default, whatever this machine has in
 * /etc/hosts, or those of `LOCALHOST_ADDRESSES`. Names are all that it changes: the program connects to the real addresses.
 */
type Lookup = (
  name: string,
  options: LookupOptions,
  answer: (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void,
) => void;

const ADDRESSES: LookupAddress[] = (process.env['LOCALHOST_ADDRESSES'] ?? '::1,127.0.0.1')
  .split(',')
  .map((address) => ({ address, family: isIP(address) }));
const FIRST = ADDRESSES[0]!;
const original = dns.lookup as Lookup;

const lookup: Lookup = (name, options, answer) => {
  if (name !== 'localhost') original(name, options, answer);
  else if (options.all === true) process.nextTick(() => answer(null, ADDRESSES));
  else process.nextTick(() => answer(null, FIRST.address, FIRST.family));
};
Object.assign(dns, { lookup });
