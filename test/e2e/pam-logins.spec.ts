import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { servedFileServers } from '../support/openssh/file-servers.js';
import { answers, hangs, KeyService } from '../support/openssh/key-service.js';
import { loginToken, lookUpToken } from '../support/openssh/server-token.js';
import { HelperSetup, sharedHelper, TOKEN } from '../support/openssh/ssh-helper.js';

const program = await sharedHelper();
const { admin, servers } = await servedFileServers();
let service: KeyService;
let helper: HelperSetup;

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const saysJson = (body: unknown, status = 200) => answers(status, JSON.stringify(body), JSON_TYPE);
const admits = (write = true) => {
  const account = { id: 7, username: 'ann', base_path: '/ann', permission: 3072, write };
  return saysJson({ code: 200, message: 'success', data: { account, factors: ['password'] } });
};
const refuses = saysJson({ code: 200, message: 'success', data: { account: null, factors: [] } });
const LOGIN = { PAM_TYPE: 'auth', PAM_USER: 'ann', PAM_RHOST: '192.0.2.7', PAM_SERVICE: 'vsftpd' };
const ask = (variables: Readonly<Record<string, string>> = {}, password = 'pw-ann', words = ['ftp']) =>
  helper.run(['pam', ...words], { ...LOGIN, ...variables }, undefined, password);
const bodies = () => service.received.map(({ body }) => JSON.parse(body) as object);

beforeEach(async () => {
  service = await KeyService.ofTest(admits());
  helper = await HelperSetup.ofTest(program, [service.url], 'timeout 2s');
});

describe('a login of PAM', () => {
  it.each([
    ['a password', {}, 'pw-ann', { password: 'pw-ann', address: '192.0.2.7' }],
    ['a password before a NUL', {}, 'pw-ann\0more', { password: 'pw-ann', address: '192.0.2.7' }],
    ['a line break in the password', {}, ' pw\nann ', { password: ' pw\nann ', address: '192.0.2.7' }],
    ['a password of 510 bytes', {}, 'x'.repeat(510), { password: 'x'.repeat(510), address: '192.0.2.7' }],
    ['an IPv4 address in IPv6', { PAM_RHOST: '::ffff:192.0.2.7' }, 'p', { password: 'p', address: '192.0.2.7' }],
    ['an IPv6 address with a zone', { PAM_RHOST: 'fe80::1%eth0' }, 'p', { password: 'p', address: 'fe80::1' }],
    ['a host name in place of an address', { PAM_RHOST: 'client.example' }, 'p', { password: 'p' }],
    ['no address', { PAM_RHOST: '' }, 'p', { password: 'p' }],
    [
      'a name of other letters',
      { PAM_USER: 'åsa.b@c' },
      'p',
      { username: 'åsa.b@c', password: 'p', address: '192.0.2.7' },
    ],
  ])('with %s is passed on', async (_case, variables, password, body) => {
    expect(await ask(variables, password)).toMatchObject({ status: 0, out: '', errors: '' });
    expect(bodies()).toEqual([{ protocol: 'ftp', username: 'ann', ...body }]);
    const [{ method, url, authorization }] = service.received as [(typeof service.received)[0]];
    expect([method, url.pathname, authorization]).toEqual(['POST', '/logins', `Bearer ${TOKEN}`]);
  });

  it.each([
    ['no user', { PAM_USER: '' }, 'pw-ann', 'user name is empty'],
    ['a user that is a path', { PAM_USER: '..' }, 'pw-ann', 'no account of a machine has'],
    ['a user below another folder', { PAM_USER: 'a/b' }, 'pw-ann', 'no account of a machine has'],
    ['a user with a line break', { PAM_USER: 'ann\nroot' }, 'pw-ann', 'no account of a machine has'],
    ['root', { PAM_USER: 'root' }, 'pw-ann', 'system user'],
    ['a service of the machine', { PAM_USER: 'daemon' }, 'pw-ann', 'system user'],
    ['no password', {}, '', 'expose_authtok'],
    ['an empty password', {}, '\0', 'expose_authtok'],
    ['a password that pam_exec may have cut', {}, 'x'.repeat(511), 'too long'],
    ['a password without an end', {}, 'x'.repeat(100_000), 'too long'],
    ['another type', { PAM_TYPE: 'account' }, 'pw-ann', 'PAM_TYPE is not auth'],
  ])('with %s is refused without asking Keyfold', async (_case, variables, password, reason) => {
    const { status, out, errors } = await ask(variables, password);
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(errors).toMatch(/^keyfold-ssh: refused user ".*" over ftp: /);
    expect(errors).toContain(reason);
    expect(errors).not.toContain('pw-ann');
    expect(service.received).toEqual([]);
  });

  it('with a password that is not UTF-8 is refused without asking Keyfold', async () => {
    const child = spawn(program, ['-config', helper.config, 'pam', 'ftp'], { env: LOGIN });
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    child.stdin.end(Buffer.from([0x70, 0xe4]));
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(errors).toContain('the password is not UTF-8');
    expect(service.received).toEqual([]);
  });

  it('ends within the time limit if the password never arrives, or Keyfold never answers', async () => {
    await helper.configure([service.url], 'timeout 500ms');
    const since = performance.now();
    const child = spawn(program, ['-config', helper.config, 'pam', 'ftp'], { env: LOGIN });
    expect(await once(child, 'close')).toEqual([1, null]);
    service.does(hangs);
    expect(await ask()).toMatchObject({ status: 1 });
    expect(performance.now() - since).toBeLessThan(10_000);
  });

  it('is refused without the permission to write, unless the server is read-only', async () => {
    service.does(admits(false));
    const { status, errors } = await ask();
    expect([status, errors]).toEqual([
      1,
      expect.stringContaining('refused user "ann" over ftp: the account may not write'),
    ]);
    expect(await ask({}, 'pw-ann', ['ftp', 'read-only'])).toMatchObject({ status: 0, errors: '' });
  });

  it.each([
    ['refuses the login', refuses, 'Keyfold refuses the login'],
    [
      'asks for a code',
      saysJson({ code: 200, data: { account: null, factors: [], code_required: true } }),
      'Keyfold refuses the login',
    ],
    [
      'does not permit it',
      saysJson({ code: 200, data: { account: null, factors: [], not_permitted: true } }),
      'the account is disabled or lacks the permission bit to log in',
    ],
    ['throttles', saysJson({ code: 429 }, 429), 'Keyfold throttles logins after too many failures'],
    ['refuses the token', saysJson({ code: 403 }, 403), 'lacks the scope logins:verify'],
    ['is away', saysJson({ code: 503 }, 503), 'because Keyfold gave no answer'],
    ['answers with a page', answers(200, '<html>', { 'content-type': 'text/html' }), 'status 200, text/html'],
  ])('is refused with a reason in the log if Keyfold %s', async (_case, behaviour, reason) => {
    service.does(behaviour);
    const { status, out, errors } = await ask();
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(errors).toContain(`refused user "ann"`);
    expect(errors).toContain(reason);
    expect(errors).not.toContain('pw-ann');
  });

  it.each([
    ['is the base path of the account', 'ann:*:2903:2903::/srv/ftp/ann:/usr/sbin/nologin\n', 0, ''],
    ['is another folder', 'ann:*:2903:2903::/srv/ftp/anna:/usr/sbin/nologin\n', 1, 'not the base path of the account'],
    ['is that of another user', 'anna:*:2903:2903::/srv/ftp/ann:/usr/sbin/nologin\n', 1, 'has no line for the user'],
    ['is in a file that is away', undefined, 1, 'no such file'],
  ])('whose home %s is admitted or refused', async (_case, users, expected, reason) => {
    const file = join(helper.folder, 'passwd');
    if (users !== undefined) await writeFile(file, users);
    await helper.configure([service.url], 'root /srv/ftp', `users-file ${file}`);
    const { status, errors } = await ask();
    expect([status, errors]).toEqual([expected, expect.stringContaining(reason)]);
  });

  it.each([['pam'], ['pam', 'smb'], ['pam', 'ftp', 'write'], ['pam', 'ftp', 'read-only', 'more'], ['check', 'keys']])(
    'with the arguments %j prints the usage',
    async (...words) => {
      expect(await helper.run(words)).toMatchObject({ status: 2, errors: expect.stringContaining('usage:') });
    },
  );
});

it('the check of logins knows the scope that the token lacks', async () => {
  await helper.configure([servers.baseUrl]);
  await helper.setToken(await lookUpToken(admin, 'wrong scope'));
  const { status, out } = await helper.run(['check', 'logins']);
  expect([status, out]).toEqual([1, expect.stringContaining('lacks the scope logins:verify')]);
  await helper.setToken(await loginToken(admin));
  expect(await helper.run(['check', 'logins'])).toMatchObject({ status: 0, out: `${servers.baseUrl}: ok\n` });
});

it('the shipped configuration has only known settings', async () => {
  const shipped = readFileSync(join(import.meta.dirname, '../../deploy/pam/pam.conf'), 'utf8')
    .replace(/^#([a-z-]+ )/gm, '$1')
    .replace(/^address .*$/m, `address ${service.url}`)
    .replace(/^token-file .*$/m, `token-file ${helper.tokenFile}`)
    .replace(/^ca-file .*$/m, '')
    .replace(/^users-file .*$/m, `users-file ${join(helper.folder, 'passwd')}`);
  await writeFile(helper.config, shipped);
  await writeFile(join(helper.folder, 'passwd'), 'ann:*:2903:2903::/srv/ftp/ann:/usr/sbin/nologin\n');
  expect(await ask()).toMatchObject({ status: 0 });
});
