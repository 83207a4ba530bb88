import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { once } from 'node:events';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { newKeyLine } from '../support/key-line.js';
import { fingerprint, line, newHelperScene, offered, other } from '../support/openssh/helper-scene.js';
import { answers, gives, hangs, KeyService } from '../support/openssh/key-service.js';
import { newPrivateCa } from '../support/private-ca.js';
import { sharedHelper, TOKEN, type HelperSetup } from '../support/openssh/ssh-helper.js';

const program = await sharedHelper();
let service: KeyService;
let helper: HelperSetup;

beforeEach(async () => {
  ({ service, helper } = await newHelperScene(program));
});

describe('an offered key', () => {
  it('is printed if the service gives it', async () => {
    service.does(gives(offered));
    expect(await helper.keys('ann', line)).toMatchObject({ status: 0, out: `${offered}\n`, errors: '' });
    const [request] = service.received;
    expect(request).toMatchObject({ method: 'GET', authorization: `Bearer ${TOKEN}` });
    expect(request!.url.pathname).toBe('/authorized_keys');
    expect(Object.fromEntries(request!.url.searchParams)).toEqual({ username: 'ann', fingerprint });
  });

  it('is the only key that is printed, whatever else the service gives', async () => {
    service.does(gives(other, `${offered} a comment`, 'command="rm" ssh-ed25519 AAAA'));
    expect(await helper.keys('ann', line)).toMatchObject({ status: 0, out: `${offered}\n` });
  });

  it.each([
    ['gives no key', []],
    ['gives another key', [other]],
    ['gives the key with options, which grant less than the key alone', [`restrict ${offered}`]],
    ['gives the key as another type', [offered.replace('ssh-ed25519', 'ssh-rsa')]],
    ['gives the beginning of the key', [offered.slice(0, -4)]],
  ])('is not printed if the service %s', async (_case, lines) => {
    service.does(gives(...lines));
    expect(await helper.keys('ann', line)).toMatchObject({ status: 0, out: '', errors: '' });
  });

  it.each([
    'a;id',
    '$(id)',
    'a b',
    '`id`',
    "a'b",
    'a"b',
    'a|b',
    'a&b=c',
    'a/../b',
    '-config',
    '.',
    '..',
    '',
    'a\nb',
    'a*',
    'a%0Ab',
    'a\\b',
    'x'.repeat(257),
  ])('is refused without a question for the user name %j', async (user) => {
    service.does(gives(offered));
    expect(await helper.keys(user, line)).toMatchObject({ status: 0, out: '' });
    expect(service.received).toEqual([]);
  });

  it.each(['ann.b_c-d@example.com', 'Åsa', 'x'.repeat(256), '7of9'])(
    'is looked up for the user name %j',
    async (user) => {
      service.does(gives(offered));
      expect(await helper.keys(user, line)).toMatchObject({ out: `${offered}\n` });
      expect(service.received[0]!.url.searchParams.get('username')).toBe(user);
    },
  );

  const blob = offered.split(' ')[1]!;
  it.each([
    ['is a certificate', 'ssh-ed25519-cert-v01@openssh.com', blob],
    ['is of an unknown type', 'ssh-dss', blob],
    ['is of another type than it says', 'ssh-rsa', blob],
    ['is not base64', 'ssh-ed25519', `${blob.slice(0, -4)}$(id)`],
    ['has a line break', 'ssh-ed25519', `${blob.slice(0, 8)}\n${blob.slice(8)}`],
    ['is empty', 'ssh-ed25519', ''],
    ['is too long', 'ssh-ed25519', 'A'.repeat(16_388)],
  ])('is refused without a question if it %s', async (_case, kind, text) => {
    service.does(gives(offered));
    expect(await helper.run(['keys', 'ann', kind, text])).toMatchObject({ status: 0, out: '' });
    expect(service.received).toEqual([]);
  });
});

describe('of several addresses', () => {
  const UNUSABLE = {
    hangs: hangs,
    'answers 503': answers(503),
    'answers with a page': answers(200, '<html>', { 'content-type': 'text/html' }),
    'answers with too much': gives('x'.repeat(70_000)),
    'refuses the token': answers(401),
  };

  it.each(Object.entries(UNUSABLE))('the second is asked if the first %s', async (_case, behaviour) => {
    service.does(gives(offered));
    const first = await KeyService.ofTest(behaviour);
    await helper.configure([first.url, service.url], 'timeout 1s');
    expect(await helper.keys('ann', line)).toMatchObject({ status: 0, out: `${offered}\n` });
    expect(first.received).toHaveLength(1);
  });

  it('the second is asked if nobody listens on the first', async () => {
    service.does(gives(offered));
    const first = await KeyService.ofTest(hangs);
    await first.close();
    await helper.configure([first.url, service.url]);
    expect(await helper.keys('ann', line)).toMatchObject({ status: 0, out: `${offered}\n` });
  });

  it('all together have the time limit', async () => {
    const hanging = await Promise.all([hangs, hangs, hangs].map((each) => KeyService.ofTest(each)));
    await helper.configure(
      hanging.map(({ url }) => url),
      'timeout 600ms',
    );
    const { status, out, milliseconds } = await helper.keys('ann', line);
    expect([status, out]).toEqual([1, '']);
    expect(hanging.map(({ received }) => received.length)).toEqual([1, 1, 1]);
    expect(milliseconds).toBeGreaterThan(500);
    expect(milliseconds).toBeLessThan(2_500);
  });

  it('none gets the token by a redirect', async () => {
    const thief = await KeyService.ofTest(gives(offered));
    service.does(answers(302, '', { location: `${thief.url}/authorized_keys` }));
    expect(await helper.keys('ann', line)).toMatchObject({ status: 1, out: '' });
    expect(thief.received).toEqual([]);
  });
});

describe('a certificate', () => {
  it('must come from the authority of the configuration', async () => {
    const ca = newPrivateCa();
    onTestFinished(() => ca.dispose());
    const certificate = { cert: readFileSync(ca.certificate), key: readFileSync(ca.key) };
    const secure = await KeyService.ofTest(gives(offered), certificate);
    await helper.configure([secure.url]);
    expect(await helper.keys('ann', line)).toMatchObject({
      status: 1,
      out: '',
      errors: expect.stringContaining('x509'),
    });
    await helper.configure([secure.url], `ca-file ${ca.authority}`);
    expect(await helper.keys('ann', line)).toMatchObject({ status: 0, out: `${offered}\n` });
  });
});

describe('the log', () => {
  it('is syslog, and tells an operator why a key was refused', async () => {
    const lines: string[] = [];
    const log = createServer((socket) => socket.setEncoding('utf8').on('data', (text: string) => lines.push(text)));
    await once(log.listen(join(helper.folder, 'log')), 'listening');
    onTestFinished(() => void log.close());
    await helper.keys('a;id', line);
    await helper.configure([service.url.replace(/\d+$/, '1')]);
    await helper.keys('ann', line);
    await expect.poll(() => lines.join('')).toContain('Keyfold is not available and the key is not in the cache');
    expect(lines.join('')).toMatch(/^<84>.* keyfold-ssh\[\d+\]: refused user "a;id"/m);
    expect(lines.join('')).not.toContain(TOKEN);
  });
});

describe('the start', () => {
  it('takes less than 20 ms with a question and its answer', async () => {
    service.does(gives(offered));
    const times: number[] = [];
    for (let count = 0; count < 40; count++) times.push((await helper.keys('ann', newKeyLine().line)).milliseconds);
    const [best = Infinity] = times.toSorted((a, b) => a - b);
    // The best of many runs shows what the program takes; other tests use the processors as well.
    expect(best).toBeLessThan(20);
  });
});
