import { expect, it } from 'vitest';
import { sourceNetwork } from './source-network.js';

it.each([
  ['192.0.2.77', '192.0.2.0/24'],
  ['::ffff:192.0.2.77', '192.0.2.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['fe80::1%eth0', 'fe80::/48'],
  ['::1', '::/48'],
  ['', 'unknown'],
  ['no address', 'unknown'],
  [undefined, 'unknown'],
])('of the address %s the log keeps %s', (address, network) => {
  expect(sourceNetwork(address)).toBe(network);
});
