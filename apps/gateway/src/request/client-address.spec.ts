import { describe, expect, it } from 'vitest';
import { ClientAddress, TrustedNetworks } from './client-address.js';
import type { KeyfoldRequest } from './request-reading.js';

type Headers = { 'x-forwarded-for'?: string | string[]; 'x-real-ip'?: string; forwarded?: string };

/** Returns the address of a request from `peer`, the peers that were reported, and the shapes of unreadable headers. */
function addressOf(trusted: readonly string[], peer: string | undefined, headers: Headers = {}) {
  const { addresses, reported, unreadable } = reportingAddresses(trusted);
  return { address: addresses.of(requestFrom(peer, headers)), reported, unreadable };
}
function reportingAddresses(trusted: readonly string[]) {
  const reported: string[] = [];
  const unreadable: string[] = [];
  const warn = ({ peer, header, shape, headers, omitted }: Record<string, string>, message: string) =>
    message === 'untrusted'
      ? reported.push(peer!)
      : unreadable.push(`${peer} ${headers ?? `${header} ${shape}`} ${omitted}`);
  const addresses = new ClientAddress(trusted, 'untrusted', { warn });
  return { addresses, reported, unreadable };
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
    expect(addressOf(['10.0.0.0/8'], peer)).toEqual({ address, reported: [], unreadable: [] });
  });
});

describe('an untrusted peer', () => {
  it.each([{ 'x-forwarded-for': '198.51.100.1' }, { 'x-real-ip': '198.51.100.1' }, { forwarded: 'for=198.51.100.1' }])(
    'is reported, and its %o is ignored',
    (headers) => {
      const { address, reported } = addressOf(['10.0.0.0/8'], '192.0.2.7', headers);
      expect(address).toBe('192.0.2.7');
      expect(reported).toEqual(['192.0.2.7']);
    },
  );

  it('is every peer if no proxy is configured, including the local machine, and only the first is reported', () => {
    const { addresses, reported } = reportingAddresses([]);
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
    ['198.51.100.1:443', '198.51.100.1', 'a port is left out'],
    ['198.51.100.1:443, 10.0.0.2:8080', '198.51.100.1', 'also that of a trusted proxy'],
    ['[2001:db8::1]', '2001:db8::1', 'brackets are left out'],
    ['[2001:DB8::1]:4000', '2001:db8::1', 'and the port after them'],
    ['[::ffff:198.51.100.1]:4000', '198.51.100.1', 'IPv4-mapped addresses may have a port, too'],
    ['nonsense, 198.51.100.1', '198.51.100.1', 'a client may write anything on the left'],
  ])('that sends %j forwards for %s and is not reported: %s', (forwarded, address) => {
    const seen = addressOf(['10.0.0.0/8'], PROXY, { 'x-forwarded-for': forwarded });
    expect(seen).toEqual({ address, reported: [], unreadable: [] });
  });

  it.each([
    ['nonsense, 10.0.0.2', PROXY, 'a, 9.9.9.9', 'a hop that is not an address says nothing'],
    ['198.51.100.1, nonsense', PROXY, '9.9.9.9, a', 'without a valid hop the proxy itself counts'],
    ['unknown', PROXY, 'a', 'the proxy itself does not know'],
    ['2001:db8::1]:4000', PROXY, '9:a9::9]:9', 'a bracket is missing'],
    ['198.51.100.1:', PROXY, '9.9.9.9:', 'a port is missing'],
    ['é\n198.51.100.1', PROXY, '??9.9.9.9', 'other letters are not shown either'],
    [',', PROXY, ',', 'an empty hop is not an address'],
  ])('that sends %j forwards for %s and is reported with the shape %j: %s', (forwarded, address, shape) => {
    const seen = addressOf(['10.0.0.0/8'], PROXY, { 'x-forwarded-for': forwarded });
    expect(seen).toEqual({ address, reported: [], unreadable: [`${PROXY} x-forwarded-for ${shape} 0`] });
  });

  it('is reported once a minute, with the end of a long header', () => {
    const { addresses, unreadable } = reportingAddresses([PROXY]);
    const forwarded = `${'a,'.repeat(8_000)}b-`;
    for (const _ of Array.from({ length: 3 })) addresses.of(requestFrom(PROXY, { 'x-forwarded-for': forwarded }));
    expect(unreadable).toEqual([`${PROXY} x-forwarded-for ${'a,'.repeat(99)}a- 0`]);
  });

  it.each([
    ['for=198.51.100.1', '198.51.100.1'],
    ['For="198.51.100.1:443";proto=https;by=10.0.0.1', '198.51.100.1'],
    ['by=10.0.0.1; for="[2001:db8::1]:4711" ;host="files.example.com:443"', '2001:db8::1'],
    ['for=203.0.113.66, for="[2001:db8::1]", for=10.0.0.2', '2001:db8::1'],
    ['for="[2001:db8::1]:_port";', '2001:db8::1'],
    ['for="x, for=198.51.100.1', '198.51.100.1'],
    ['for=203.0.113.66;by="x, for="198.51.100.1:1"', '198.51.100.1'],
  ])('that sends Forwarded: %s forwards for %s', (forwarded, address) => {
    const seen = addressOf(['10.0.0.0/8'], PROXY, { forwarded });
    expect(seen).toEqual({ address, reported: [], unreadable: [] });
  });

  it.each([
    'for=unknown',
    'for=_hidden',
    'for="_SEVKISEK"',
    'proto=https',
    'for=198.51.100.1 proto=https',
    'for="198.51.100.1',
    'for="198.51.100.1\\"',
    'host="a;for=198.51.100.1"',
    'host="a;for=198.51.100.1;b',
    '198.51.100.1',
  ])('that sends Forwarded: %s counts itself, and is reported', (forwarded) => {
    const { address, unreadable } = addressOf(['10.0.0.0/8'], PROXY, { forwarded });
    expect([address, unreadable]).toEqual([PROXY, [expect.stringMatching(/^10\.0\.0\.1 forwarded [^0-8]+ 0$/)]]);
  });

  it.each([
    { 'x-forwarded-for': '203.0.113.66, 198.51.100.1', 'x-real-ip': '198.51.100.1:80', forwarded: 'for=198.51.100.1' },
    { 'x-forwarded-for': '203.0.113.66, 198.51.100.1, 10.0.0.2', 'x-real-ip': '10.0.0.2' },
    { 'x-real-ip': '198.51.100.1', forwarded: 'for=10.0.0.2' },
  ])('that names a client in several headers forwards for it: %o', (headers) => {
    const seen = addressOf(['10.0.0.0/8'], PROXY, headers);
    expect(seen).toEqual({ address: '198.51.100.1', reported: [], unreadable: [] });
  });

  it.each([
    { 'x-forwarded-for': '203.0.113.66', forwarded: 'for=198.51.100.1' },
    { 'x-forwarded-for': '203.0.113.66', 'x-real-ip': '198.51.100.1' },
    { 'x-real-ip': '203.0.113.66', forwarded: 'for=198.51.100.1' },
    { 'x-forwarded-for': PROXY, 'x-real-ip': '203.0.113.66' },
  ])('that names different clients counts itself, and is reported once a minute: %o', (headers) => {
    const { addresses, unreadable } = reportingAddresses([PROXY]);
    for (const _ of [1, 2]) expect(addresses.of(requestFrom(PROXY, headers))).toBe(PROXY);
    expect(unreadable).toEqual([`${PROXY} ${Object.keys(headers).join(', ')} 0`]);
  });

  it('that does not know the client itself does not let it choose', () => {
    expect(addressOf([PROXY], PROXY, { 'x-forwarded-for': 'unknown', forwarded: 'for=203.0.113.66' }).address).toBe(
      PROXY,
    );
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
