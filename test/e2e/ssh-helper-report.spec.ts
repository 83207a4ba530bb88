import { beforeEach, describe, expect, it } from 'vitest';
import { fingerprint, newHelperScene, offered, other } from '../support/openssh/helper-scene.js';
import { answers, hangs, KeyService } from '../support/openssh/key-service.js';
import { sharedHelper, TOKEN, type HelperSetup } from '../support/openssh/ssh-helper.js';

const program = await sharedHelper();
let service: KeyService;
let helper: HelperSetup;

beforeEach(async () => {
  ({ service, helper } = await newHelperScene(program));
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
