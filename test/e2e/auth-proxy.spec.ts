import { readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { keyLine } from '../support/key-line.js';
import { servedFileServers } from '../support/openssh/file-servers.js';
import { answers, hangs, KeyService } from '../support/openssh/key-service.js';
import { loginToken, lookUpToken } from '../support/openssh/server-token.js';
import { sharedHelper, TOKEN } from '../support/openssh/ssh-helper.js';
import { AuthProxy } from '../support/rclone/auth-proxy.js';

const program = await sharedHelper();
const { admin, servers } = await servedFileServers();
let service: KeyService;
let proxy: AuthProxy;

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const saysJson = (body: unknown, status = 200) => answers(status, JSON.stringify(body), JSON_TYPE);
const admits = (fields: object = {}) => {
  const account = { id: 7, username: 'ann', base_path: '/ann', permission: 3072, write: true, ...fields };
  return saysJson({ code: 200, message: 'success', data: { account, factors: ['password'] } });
};
const refuses = saysJson({ code: 200, message: 'success', data: { account: null, factors: [] } });
const PASSWORD = { user: 'ann', pass: 'pw-ann' };
const blob = keyLine('offered').line.split(' ')[1]!;

beforeEach(async () => {
  service = await KeyService.ofTest(admits());
  proxy = await AuthProxy.ofTest(program, [service.url]);
});

const bodies = () => service.received.map(({ body }) => JSON.parse(body) as object);

describe('a question of rclone', () => {
  it.each([
    ['a password', PASSWORD, { username: 'ann', password: 'pw-ann' }],
    ['a key', { user: 'ann', public_key: blob }, { username: 'ann', public_key: blob }],
    [
      'the address of the client',
      { ...PASSWORD, client_ip: '192.0.2.7' },
      { username: 'ann', password: 'pw-ann', address: '192.0.2.7' },
    ],
    [
      'an address with a zone',
      { ...PASSWORD, client_ip: 'fe80::1%eth0' },
      { username: 'ann', password: 'pw-ann', address: 'fe80::1' },
    ],
    ['an address that is none', { ...PASSWORD, client_ip: 'unix' }, { username: 'ann', password: 'pw-ann' }],
    [
      'letters of all kinds',
      { user: 'Åsa "b"\\', pass: '"; $(id)\u0001' },
      { username: 'Åsa "b"\\', password: '"; $(id)\u0001' },
    ],
  ])('with %s is passed on', async (_case, question, body) => {
    await proxy.configure([service.url], 'accept-keys yes');
    expect(await proxy.ask(question, 'webdav')).toMatchObject({ status: 0, errors: '' });
    expect(bodies()).toEqual([{ protocol: 'webdav', ...body }]);
    const [{ method, url, authorization }] = service.received as [(typeof service.received)[0]];
    expect([method, url.pathname, authorization]).toEqual(['POST', '/logins', `Bearer ${TOKEN}`]);
  });

  it.each([
    ['is no JSON', '{"user":"ann","pass":'],
    ['is too long', JSON.stringify({ ...PASSWORD, more: 'x'.repeat(70_000) })],
    ['has no secret', { user: 'ann' }],
    ['has two secrets', { ...PASSWORD, public_key: blob }],
    ['has no user', { pass: 'pw-ann' }],
    ['has an empty user', { ...PASSWORD, user: '' }],
    ['has an empty password', { ...PASSWORD, pass: '' }],
    ['has a password that is too long', { ...PASSWORD, pass: 'x'.repeat(4_097) }],
    ['has a user with a colon', { ...PASSWORD, user: 'ann:/srv' }],
    ['has a key that is none', { user: 'ann', public_key: 'AAAA' }],
    ['has a key with a line break', { user: 'ann', public_key: `${blob}\n` }],
  ])('is refused without asking Keyfold if it %s', async (_case, question) => {
    const { status, out, errors } = await proxy.ask(question);
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(errors).toMatch(/^keyfold-ssh: refused a login over sftp: /);
    expect(errors).not.toContain('pw-ann');
    expect(service.received).toEqual([]);
  });
});

describe('a key', () => {
  it.each([['no line accept-keys'], ['the line accept-keys no', 'accept-keys no']])(
    'is refused without asking Keyfold if the configuration has %s',
    async (_case, ...lines) => {
      await proxy.configure([service.url], ...lines);
      const { status, out, errors } = await proxy.ask({ user: 'ann', public_key: blob });
      expect({ status, out }).toEqual({ status: 1, out: '' });
      expect(errors).toContain('refused a key of user "ann": the configuration has no line accept-keys yes');
      expect(service.received).toEqual([]);
    },
  );
});

describe('the backend', () => {
  const backendFor = async (fields: object) => {
    service.does(admits(fields));
    const { status, out } = await proxy.ask(PASSWORD);
    return status === 0 ? (JSON.parse(out) as Record<string, string>) : status;
  };

  it('is the folder of the base path', async () => {
    await mkdir(join(proxy.site, 'a b:c'));
    expect(await backendFor({})).toEqual({ type: 'local', _root: join(proxy.site, 'ann') });
    expect(await backendFor({ base_path: '//ann/./' })).toEqual({ type: 'local', _root: join(proxy.site, 'ann') });
    expect(await backendFor({ base_path: 'ann' })).toEqual({ type: 'local', _root: join(proxy.site, 'ann') });
    expect(await backendFor({ base_path: '/a b:c' })).toEqual({ type: 'local', _root: join(proxy.site, 'a b:c') });
    expect(await backendFor({ base_path: '/' })).toEqual({ type: 'local', _root: proxy.site });
  });

  it('is read-only, and below another root, without the right to write', async () => {
    const upstreams = `${proxy.site}:ro ${proxy.site}:ro`;
    expect(await backendFor({ write: false })).toEqual({ type: 'union', _root: 'ann', upstreams });
    expect(await backendFor({ write: false, base_path: '/' })).toEqual({ type: 'union', _root: '', upstreams });
    expect(await backendFor({ write: undefined })).toMatchObject({ type: 'union' });
    await mkdir(join(proxy.site, '.ann'));
    expect(await backendFor({ write: false, base_path: '/.ann' })).toMatchObject({ type: 'union', _root: '.ann' });
  });

  it.each(['/..', '/ann/../../etc', '..', '/ann/..', '/../ann', '/missing', '/file', '/out', '/out/ssh', '/ann\u0000'])(
    'is refused for the base path %j',
    async (path) => {
      await writeFile(join(proxy.site, 'file'), '');
      await symlink('/etc', join(proxy.site, 'out'));
      expect(await backendFor({ base_path: path })).toBe(1);
    },
  );
});

describe('a login', () => {
  it('is refused silently if Keyfold refuses it', async () => {
    service.does(refuses);
    expect(await proxy.ask(PASSWORD)).toMatchObject({ status: 1, out: '', errors: '' });
    service.does(saysJson({ code: 200, data: { account: null, factors: [], code_required: true } }));
    expect(await proxy.ask(PASSWORD)).toMatchObject({ status: 1, out: '', errors: '' });
  });

  it.each([
    ['refuses the token', saysJson({ code: 403 }, 403), 'lacks the scope logins:verify'],
    ['is away', saysJson({ code: 503 }, 503), 'status 503'],
    ['answers with a page', answers(200, '<html>', { 'content-type': 'text/html' }), 'status 200, text/html'],
    ['answers with other JSON', saysJson({}), 'not that of Keyfold'],
    ['answers without data', saysJson({ code: 200, data: null }), 'not that of Keyfold'],
    ['answers with a refusal in the envelope', saysJson({ code: 403, data: { account: {} } }), 'not that of Keyfold'],
    ['names no base path', admits({ base_path: '' }), 'without a name or a base path'],
    ['answers with too much', admits({ username: 'x'.repeat(70_000) }), 'too long'],
    ['redirects', answers(302, '', { location: 'http://127.0.0.1:1/logins' }), 'status 302'],
  ])('is refused with a reason in the log if Keyfold %s', async (_case, behaviour, reason) => {
    service.does(behaviour);
    const { status, out, errors } = await proxy.ask(PASSWORD);
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(errors).toContain('refused user "ann", because Keyfold gave no answer');
    expect(errors).toContain(reason);
    expect(errors).not.toContain('pw-ann');
  });

  it('is asked about at the second address if the first is down, within the time limit of both', async () => {
    const first = await KeyService.ofTest(hangs);
    await proxy.configure([first.url, service.url], 'timeout 1s');
    const { status, milliseconds } = await proxy.ask(PASSWORD);
    expect(status).toBe(0);
    expect(milliseconds).toBeLessThan(3_000);
    expect([first.received.length, service.received.length]).toEqual([1, 1]);
  });

  it('is not asked about again at the second address if the first throttles it or refuses it', async () => {
    for (const behaviour of [saysJson({ code: 429 }, 429), refuses]) {
      const first = await KeyService.ofTest(behaviour);
      await proxy.configure([first.url, service.url]);
      expect(await proxy.ask(PASSWORD)).toMatchObject({ status: 1, out: '' });
    }
    expect(service.received).toEqual([]);
  });

  it('that is throttled is logged', async () => {
    service.does(saysJson({ code: 429 }, 429));
    const { errors } = await proxy.ask(PASSWORD);
    expect(errors).toContain('refused user "ann": Keyfold throttles logins after too many failures');
  });

  it('is refused if the configuration has no root, or one that rclone would read differently', async () => {
    await proxy.setup.configure([service.url]);
    expect((await proxy.ask(PASSWORD)).errors).toContain('the configuration has no line root');
    for (const root of ['srv', '/srv/a b', '/srv/a:ro', '"/srv"', '/']) {
      await proxy.setup.configure([service.url], `root ${root}`);
      const { status, errors } = await proxy.ask(PASSWORD);
      expect([status, errors], root).toEqual([1, expect.stringContaining('root: expected an absolute path')]);
    }
    expect(service.received).toEqual([]);
  });
});

describe('the check of a configuration with a root', () => {
  it('asks an empty question, which Keyfold refuses only with a right token', async () => {
    service.does(saysJson({ code: 400 }, 400));
    const refusing = await KeyService.ofTest(saysJson({ code: 403 }, 403));
    await proxy.configure([service.url, refusing.url]);
    const { status, out } = await proxy.setup.run(['check']);
    expect(status).toBe(1);
    expect(out).toContain(`${service.url}: ok\n${refusing.url}: the access token is not accepted`);
    expect(bodies()).toEqual([{}]);
    await proxy.configure([service.url]);
    expect(await proxy.setup.run(['check'])).toMatchObject({ status: 0, out: `${service.url}: ok\n` });
  });

  it('knows the scope that the token lacks', async () => {
    await proxy.configure([servers.baseUrl]);
    await proxy.setup.setToken(await lookUpToken(admin, 'wrong scope'));
    const { status, out } = await proxy.setup.run(['check']);
    expect([status, out]).toEqual([1, expect.stringContaining('lacks the scope logins:verify')]);
    await proxy.setup.setToken(await loginToken(admin));
    expect(await proxy.setup.run(['check'])).toMatchObject({ status: 0, out: `${servers.baseUrl}: ok\n` });
  });

  it('needs the folder of the site', async () => {
    service.does(saysJson({ code: 400 }, 400));
    await proxy.setup.configure([service.url], `root ${proxy.site}/missing`);
    const { status, out } = await proxy.setup.run(['check']);
    expect([status, out]).toEqual([1, expect.stringContaining('root: cannot open the folder of the site')]);
  });

  it.each([['auth-proxy'], ['auth-proxy', 'smb'], ['auth-proxy', 'sftp', 'more']])(
    'of the arguments %j prints the usage',
    async (...words) => {
      expect(await proxy.setup.run(words)).toMatchObject({ status: 2, errors: expect.stringContaining('usage:') });
    },
  );
});

it('the shipped configuration has only known settings', async () => {
  const shipped = readFileSync(join(import.meta.dirname, '../../deploy/rclone/rclone.conf'), 'utf8')
    .replace(/^#([a-z-]+ )/gm, '$1')
    .replace(/^token-file .*$/m, `token-file ${proxy.setup.tokenFile}`)
    .replace(/^ca-file .*$/m, '')
    .replace(/^root .*$/m, `root ${proxy.site}`);
  await writeFile(proxy.setup.config, shipped);
  const { errors } = await proxy.ask(PASSWORD);
  expect(errors).toContain('because Keyfold gave no answer');
});
