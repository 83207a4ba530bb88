import { describe, expect, it } from 'vitest';
import { networksOf, sourceOf } from './login-keys.js';

describe('the source of an attempt', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7', 'an IPv4 address is one'],
    ['::ffff:192.0.2.7', '192.0.2.7', 'wrapped in IPv6 it is the same'],
    ['::ffff:c000:207', '192.0.2.7', 'also when it is written in hex'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64', 'an IPv6 network of 64 bits is one'],
    ['2001:DB8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64', 'up to its last address'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64', 'the network beside it is another'],
    ['::1', '::/64', 'the own machine is in one'],
    ['fe80::1%eth0', 'fe80::/64', 'the interface does not count'],
  ])('%s is %s: %s', (address, source) => {
    expect(sourceOf(address)).toBe(source);
  });

  it.each(['', 'unknown', 'localhost', '192.0.2.7:443', '192.0.2.7, 192.0.2.8', '300.1.1.1', '2001:db8::/64'])(
    'is one for everything that is no address (%j)',
    (address) => {
      expect(sourceOf(address)).toBe('unknown');
    },
  );
});

describe('the networks of an address', () => {
  it.each([
    ['192.0.2.7', ['192.0.2.0/24', '192.0.2.7']],
    ['::ffff:192.0.2.7', ['192.0.2.0/24', '192.0.2.7']],
    ['2001:db8:1:2345::1', ['2001:db8:1::/48', '2001:db8:1:2300::/56', '2001:db8:1:2345::/64']],
    ['fe80::1%eth0', ['fe80::/48', 'fe80::/56', 'fe80::/64']],
    ['no address', ['unknown']],
  ])('of %s are %j, the widest first', (address, networks) => {
    expect(networksOf(address)).toEqual(networks);
  });
});
