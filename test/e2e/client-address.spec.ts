import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_PASSWORD } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { logLines } from '../support/log-lines.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { storedEvents } from '../support/stored-data.js';

let app: StandaloneProcess;

/** Returns the address that is stored with the session of a login with these headers. */
async function addressOf(headers: Record<string, string>): Promise<unknown> {
  await new ApiClient(app.baseUrl).with(headers).signedIn('admin', ADMIN_PASSWORD);
  return storedEvents(app.dataDir, 'SessionStarted').at(-1)?.data['address'];
}

const warnings = () => logLines(app.output()).filter(({ msg }) => msg.includes('KEYFOLD_TRUSTED_PROXIES'));

describe('with trusted proxies', () => {
  beforeAll(async () => {
    app = await StandaloneProcess.start({ KEYFOLD_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8' });
  });
  afterAll(() => app.dispose());

  it.each([
    ['no header', {}, '127.0.0.1'],
    ['an address that the client claims', { 'x-forwarded-for': '198.51.100.1, 203.0.113.7' }, '203.0.113.7'],
    ['a chain of proxies', { 'x-forwarded-for': '203.0.113.7, 10.1.2.3,10.4.5.6' }, '203.0.113.7'],
    ['X-Real-IP', { 'x-real-ip': '203.0.113.8' }, '203.0.113.8'],
    ['a port', { 'x-forwarded-for': '[2001:db8::7]:50000, 10.1.2.3:443' }, '2001:db8::7'],
    ['Forwarded', { forwarded: 'for="203.0.113.9:50000";proto=https, for=10.1.2.3' }, '203.0.113.9'],
  ])('a request with %s has the nearest address that is not a proxy', async (_, headers, address) => {
    expect(await addressOf(headers)).toBe(address);
  });

  it('a header that names no address is reported once, without its letters and digits', async () => {
    expect(warnings()).toEqual([]);
    const unreadable = () =>
      logLines(app.output()).filter(({ msg }) => msg.startsWith('cannot read the client address'));
    expect(unreadable()).toEqual([]);
    for (const _ of [1, 2]) expect(await addressOf({ 'x-forwarded-for': 'laptop-7.example' })).toBe('127.0.0.1');
    expect(unreadable()).toMatchObject([{ level: 40, peer: '127.0.0.1', header: 'x-forwarded-for', shape: 'a-9.a' }]);
  });

  it('a client that writes the header which the proxy does not write gets the address of the proxy, and one warning', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.66', forwarded: 'for=203.0.113.7' };
    for (const _ of [1, 2]) expect(await addressOf(headers)).toBe('127.0.0.1');
    const contradictions = logLines(app.output()).filter(({ msg }) => msg.includes('name different clients'));
    expect(contradictions).toMatchObject([{ level: 40, peer: '127.0.0.1', headers: 'x-forwarded-for, forwarded' }]);
  });
});

describe('without trusted proxies', () => {
  beforeAll(async () => {
    app = await StandaloneProcess.start({ KEYFOLD_TRUSTED_PROXIES: undefined });
  });
  afterAll(() => app.dispose());

  it('forwarded headers are ignored, and one warning names the setting', async () => {
    expect(await addressOf({})).toBe('127.0.0.1');
    expect(warnings()).toEqual([]);
    expect(await addressOf({ 'x-forwarded-for': '203.0.113.7' })).toBe('127.0.0.1');
    expect(await addressOf({ 'x-real-ip': '203.0.113.8' })).toBe('127.0.0.1');
    expect(warnings()).toMatchObject([{ level: 40 }]);
  });

  it('claiming other addresses gives no more attempts', async () => {
    const outcomes: number[] = [];
    for (let last = 1; last <= 7; last++) {
      const claimed = new ApiClient(app.baseUrl).from(`203.0.113.${last}`);
      outcomes.push((await claimed.logIn('somebody', 'wrong')).code);
    }
    expect(outcomes).toEqual([401, 401, 401, 401, 401, 429, 429]);
  });
});
