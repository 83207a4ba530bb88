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

describe('a reported use', () => {
  const login = { PAM_TYPE: 'open_session', PAM_USER: 'ann', SSH_AUTH_INFO_0: `publickey ${offered}\n` };

  it('names user, key and time, and has the same id at every address', async () => {
    service.does(answers(204));
    const first = await KeyService.ofTest(answers(503));
    await helper.configure([first.url, service.url]);
    expect(await helper.used(login)).toMatchObject({ status: 0, out: '', errors: '' });
    const [{ method, url, authorization, body }] = service.received as [(typeof service.received)[0]];
    expect([method, url.pathname, authorization]).toEqual(['POST', '/ssh-key-uses', `Bearer ${TOKEN}`]);
    const report = JSON.parse(body) as Record<string, string>;
    expect(report).toEqual({ id: expect.any(String), username: 'ann', fingerprint, time: expect.any(String) });
    expect(report['id']).toMatch(/^[\w.-]{8,64}$/);
    expect(Math.abs(Date.parse(report['time']!) - Date.now())).toBeLessThan(60_000);
    expect(first.received[0]!.body).toBe(body);
  });

  it('is that of the last key, if a login needs two', async () => {
    service.does(answers(204));
    const twoKeys = `publickey ${other}\npublickey ${offered}\n`;
    await helper.used({ ...login, SSH_AUTH_INFO_0: twoKeys });
    expect(service.received.map(({ body }) => JSON.parse(body) as object)).toMatchObject([{ fingerprint }]);
  });

  it.each([
    ['the session closes', { ...login, PAM_TYPE: 'close_session' }],
    ['the login was by password', { ...login, SSH_AUTH_INFO_0: 'password\n' }],
    [
      'the login was by certificate',
      { ...login, SSH_AUTH_INFO_0: `publickey ssh-ed25519-cert-v01@openssh.com AAAA\n` },
    ],
    ['there is no login', { PAM_TYPE: 'open_session', PAM_USER: 'ann' }],
  ])('is not sent if %s', async (_case, variables) => {
    expect(await helper.used(variables)).toMatchObject({ status: 0, out: '', errors: '' });
    expect(service.received).toEqual([]);
  });

  it('that no address accepts is logged, and takes no longer than the time limit', async () => {
    service.does(hangs);
    await helper.configure([service.url], 'timeout 300ms');
    const { status, errors, milliseconds } = await helper.used(login);
    expect(status).toBe(1);
    expect(errors).toContain('the use of a key of user "ann" is not recorded');
    expect(milliseconds).toBeLessThan(2_500);
  });
});

describe('the check', () => {
  it('names the problem of each address', async () => {
    const refusing = await KeyService.ofTest(answers(401));
    await helper.configure([service.url, refusing.url]);
    const { status, out } = await helper.run(['check']);
    expect(status).toBe(1);
    expect(out).toBe(
      `${service.url}: ok\n${refusing.url}: the access token is not accepted: it is unknown, expired or revoked, or lacks the scope keys:look-up\n`,
    );
    await helper.configure([service.url]);
    expect(await helper.run(['check'])).toMatchObject({ status: 0, out: `${service.url}: ok\n` });
  });

  it.each([[], ['keys'], ['keys', 'ann', 'ssh-ed25519'], ['imagine'], ['used', 'more']])(
    'of the arguments %j prints the usage',
    async (...words) => {
      expect(await helper.run(words)).toMatchObject({ status: 2, out: '', errors: expect.stringContaining('usage:') });
    },
  );
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
