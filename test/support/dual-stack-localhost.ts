import dns, { type LookupAddress, type LookupOptions } from 'node:dns';

/*
 * Loaded before a program (`node --import`), it gives `localhost` both addresses, as Debian does by default, whatever this machine has in
 * /etc/hosts. Names are all that it changes: the program connects to the real addresses.
 */
type Lookup = (
  name: string,
  options: LookupOptions,
  answer: (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void,
) => void;

const ADDRESSES: LookupAddress[] = [
  { address: '::1', family: 6 },
  { address: '127.0.0.1', family: 4 },
];
const original = dns.lookup as Lookup;

const lookup: Lookup = (name, options, answer) => {
  if (name !== 'localhost') original(name, options, answer);
  else if (options.all === true) process.nextTick(() => answer(null, ADDRESSES));
  else process.nextTick(() => answer(null, '::1', 6));
};
Object.assign(dns, { lookup });
