import { describe, expect, it } from 'vitest';
import { ClientAddress, networkOf } from './client-address.js';
import type { KeyfoldRequest } from './keyfold-request.js';

type Headers = { 'x-forwarded-for'?: string | string[]; 'x-real-ip'?: string };

/** The address of a request from `peer`, and the warnings that it led to. */
function addressOf(trusted: readonly string[], peer: string | undefined, headers: Headers = {}) {
  const warnings: string[] = [];
  const addresses = new ClientAddress(trusted, (message) => warnings.push(message));
  return { address: addresses.of(requestFrom(peer, headers)), warnings };
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
  ])('from %s comes from %j', (peer, address) => {
    expect(addressOf(['10.0.0.0/8'], peer)).toEqual({ address, warnings: [] });
  });
});

describe('a peer that is no trusted proxy', () => {
  it.each([{ 'x-forwarded-for': '198.51.100.1' }, { 'x-real-ip': '198.51.100.1' }])(
    'is not believed about %o, and the setting is named',
    (headers) => {
      const { address, warnings } = addressOf(['10.0.0.0/8'], '192.0.2.7', headers);
      expect(address).toBe('192.0.2.7');
      expect(warnings).toEqual([expect.stringMatching(/^192\.0\.2\.7 .*KEYFOLD_TRUSTED_PROXIES$/)]);
    },
  );

  it('is nobody when none is configured, the own machine included', () => {
    expect(addressOf([], '127.0.0.1', { 'x-forwarded-for': '198.51.100.1' }).address).toBe('127.0.0.1');
  });

  it('leads to one warning, however many requests it sends', () => {
    const warnings: string[] = [];
    const addresses = new ClientAddress([], (message) => warnings.push(message));
    for (let n = 0; n < 10; n++) addresses.of(requestFrom(`192.0.2.${n}`, { 'x-real-ip': '198.51.100.1' }));
    expect(warnings).toHaveLength(1);
  });
});

describe('a trusted proxy', () => {
  it('is believed without a warning', () => {
    const headers = { 'x-forwarded-for': '198.51.100.1' };
    expect(addressOf([PROXY], PROXY, headers)).toEqual({ address: '198.51.100.1', warnings: [] });
  });

  it.each([
    ['198.51.100.1', '198.51.100.1', 'the one hop there is'],
    [
      '203.0.113.66, 198.51.100.1',
      '198.51.100.1',
      'what the client wrote itself stands on the left and is not believed',
    ],
    ['203.0.113.66, 198.51.100.1, 10.0.0.2, 10.9.9.9', '198.51.100.1', 'trusted proxies in a row are passed over'],
    ['10.0.0.3, 10.0.0.2', '10.0.0.3', 'the first hop when all are trusted'],
    [' 198.51.100.1 ,  10.0.0.2 ', '198.51.100.1', 'spaces do not matter'],
    ['198.51.100.1,10.0.0.2', '198.51.100.1', 'nor does their absence'],
    ['2001:DB8::0001', '2001:db8::1', 'IPv6 in its short form'],
    ['::ffff:198.51.100.1', '198.51.100.1', 'without the wrapping in IPv6'],
    ['nonsense, 10.0.0.2', '10.0.0.2', 'a hop that is no address ends the chain'],
    ['198.51.100.1, nonsense', PROXY, 'then the proxy itself is all that is known'],
    ['198.51.100.1:443', PROXY, 'an address with a port is none'],
    [',', PROXY, 'empty hops are none'],
  ])('that says %j forwards for %s: %s', (forwarded, address) => {
    expect(throughProxy(forwarded)).toBe(address);
  });

  it('has its nearest hundred hops looked at, however many there are', () => {
    const proxies = Array.from({ length: 99 }, () => '10.0.0.2');
    expect(throughProxy(['203.0.113.66', '10.0.0.4', ...proxies].join(','))).toBe('10.0.0.4');
    expect(throughProxy(['198.51.100.1', ...proxies].join(','))).toBe('198.51.100.1');
  });

  it('may send the header more than once: the last one is the nearest', () => {
    expect(throughProxy(['203.0.113.66', '198.51.100.1, 10.0.0.2'])).toBe('198.51.100.1');
  });

  it('is asked for X-Real-IP when X-Forwarded-For is missing or empty', () => {
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
  ])('of %j: %s is one: %s', (trusted, peer, believed) => {
    const { address } = addressOf(trusted, peer, { 'x-forwarded-for': '198.51.100.1' });
    expect(address === '198.51.100.1').toBe(believed);
  });
});

it.each(['', 'proxy', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '2001:db8::/129', '10.0.0.256'])(
  '%j is neither an address nor a network',
  (text) => {
    expect(() => networkOf(text)).toThrow();
  },
);
