import { describe, expect, it } from 'vitest';
import { ClientAddress, TrustedNetworks } from './client-address.js';
import type { KeyfoldRequest } from './request-reading.js';

type Headers = { 'x-forwarded-for'?: string | string[]; 'x-real-ip'?: string };

/** Returns the address of a request from `peer`, and the peers that were reported. */
function addressOf(trusted: readonly string[], peer: string | undefined, headers: Headers = {}) {
  const reported: string[] = [];
  const addresses = new ClientAddress(trusted, (untrusted) => reported.push(untrusted));
  return { address: addresses.of(requestFrom(peer, headers)), reported };
}
const requestFrom = (peer: string | undefined, headers: Headers) =>
  ({ raw: { socket: { remoteAddress: peer } }, headers }) as unknown as KeyfoldRequest;

const PROXY = '10.0.0.1';
const throughProxy = (forwarded: string | string[], trusted: readonly string[] = ['10.0.0.0/8']) =>
  addressOf(trusted, PROXY, { 'x-forwarded-for': forwarded }).address;

describe('a request without forwarded headers', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8::1', '2001:db8::1'],
    [undefined, ''],
  ])('from %s has the address %j', (peer, address) => {
    expect(addressOf(['10.0.0.0/8'], peer)).toEqual({ address, reported: [] });
  });
});

describe('an untrusted peer', () => {
  it.each([{ 'x-forwarded-for': '198.51.100.1' }, { 'x-real-ip': '198.51.100.1' }])(
    'is reported, and its %o is ignored',
    (headers) => {
      const { address, reported } = addressOf(['10.0.0.0/8'], '192.0.2.7', headers);
      expect(address).toBe('192.0.2.7');
      expect(reported).toEqual(['192.0.2.7']);
    },
  );

  it('is every peer if no proxy is configured, including the local machine, and only the first is reported', () => {
    const reported: string[] = [];
    const addresses = new ClientAddress([], (untrusted) => reported.push(untrusted));
    const sent = ['127.0.0.1', '192.0.2.1'].map((peer) =>
      addresses.of(requestFrom(peer, { 'x-real-ip': '198.51.100.1' })),
    );
    expect(sent).toEqual(['127.0.0.1', '192.0.2.1']);
    expect(reported).toEqual(['127.0.0.1']);
  });
});

describe('a trusted proxy', () => {
  it.each([
    ['198.51.100.1', '198.51.100.1', 'the only hop'],
    ['203.0.113.66, 198.51.100.1', '198.51.100.1', 'hops that the client wrote are on the left and are ignored'],
    ['203.0.113.66, 198.51.100.1, 10.0.0.2, 10.9.9.9', '198.51.100.1', 'consecutive trusted proxies are skipped'],
    ['10.0.0.3, 10.0.0.2', '10.0.0.3', 'the farthest hop if all are trusted'],
    [' 198.51.100.1 ,  10.0.0.2 ', '198.51.100.1', 'spaces are ignored'],
    ['198.51.100.1,10.0.0.2', '198.51.100.1', 'spaces are optional'],
    ['2001:DB8::0001', '2001:db8::1', 'IPv6 addresses are normalized'],
    ['::ffff:198.51.100.1', '198.51.100.1', 'IPv4-mapped addresses are unwrapped'],
    ['nonsense, 10.0.0.2', '10.0.0.2', 'a hop that is not an address ends the chain'],
    ['198.51.100.1, nonsense', PROXY, 'without a valid hop the proxy itself counts'],
    ['198.51.100.1:443', PROXY, 'an address with a port is not an address'],
    [',', PROXY, 'an empty hop is not an address'],
  ])('that sends %j forwards for %s and is not reported: %s', (forwarded, address) => {
    expect(addressOf(['10.0.0.0/8'], PROXY, { 'x-forwarded-for': forwarded })).toEqual({ address, reported: [] });
  });

  it('can forward at most a hundred hops: farther ones are ignored', () => {
    const proxies = Array.from({ length: 99 }, () => '10.0.0.2');
    expect(throughProxy(['203.0.113.66', '10.0.0.4', ...proxies].join(','))).toBe('10.0.0.4');
    expect(throughProxy(['198.51.100.1', ...proxies].join(','))).toBe('198.51.100.1');
  });

  it('may send the header more than once: the last one contains the nearest hops', () => {
    expect(throughProxy(['203.0.113.66', '198.51.100.1, 10.0.0.2'])).toBe('198.51.100.1');
  });

  it('determines the address with X-Real-IP if X-Forwarded-For is missing or empty', () => {
    for (const forwarded of [undefined, '']) {
      const headers = {
        ...(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }),
        'x-real-ip': '198.51.100.1',
      };
      expect(addressOf([PROXY], PROXY, headers).address).toBe('198.51.100.1');
    }
    const both = { 'x-forwarded-for': '198.51.100.1', 'x-real-ip': '203.0.113.66' };
    expect(addressOf([PROXY], PROXY, both).address).toBe('198.51.100.1');
    expect(addressOf([PROXY], PROXY, { 'x-real-ip': 'nonsense' }).address).toBe(PROXY);
  });

  it.each([
    [['10.0.0.0/8'], '10.255.0.1', true],
    [['10.0.0.0/8'], '11.0.0.1', false],
    [['10.0.0.1'], '10.0.0.1', true],
    [['10.0.0.1'], '10.0.0.2', false],
    [['10.0.0.1'], '::ffff:10.0.0.1', true],
    [['::ffff:10.0.0.1'], '10.0.0.1', true],
    [['2001:db8::/32'], '2001:db8:ffff::1', true],
    [['2001:db8::/32'], '2001:db9::1', false],
    [['2001:db8::/32', '10.0.0.0/8'], '10.0.0.1', true],
    [['0.0.0.0/0'], '2001:db8::1', false],
    [['10.0.0.0/8'], undefined, false],
  ])('in %j: %s is one: %s', (trusted, peer, isTrusted) => {
    const { address } = addressOf(trusted, peer, { 'x-forwarded-for': '198.51.100.1' });
    expect(address === '198.51.100.1').toBe(isTrusted);
  });
});

it.each(['', 'proxy', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '2001:db8::/129', '10.0.0.256'])(
  '%j is neither an address nor a network',
  (text) => {
    expect(() => new TrustedNetworks([text])).toThrow();
  },
);
