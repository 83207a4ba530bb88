import { beforeEach, describe, expect, it } from 'vitest';
import { keyLine } from '../support/key-line.js';
import { answers, KeyService } from '../support/openssh/key-service.js';
import { HelperSetup, sharedHelper } from '../support/openssh/ssh-helper.js';

const program = await sharedHelper();
let service: KeyService;
let helper: HelperSetup;

const { line, fingerprint } = keyLine('offered');
const offered = line.split(' ').slice(0, 2).join(' ');
const readOnly = `restrict,command="internal-sftp -R -d /files" ${offered}\n`;
const readWrite = `restrict,command="internal-sftp -d /files" ${offered}\n`;
const [READ, WRITE] = [1 << 10, 0b11 << 10];

/** Answers with a body of JSON. */
const json = (data: unknown) =>
  answers(200, JSON.stringify({ code: 200, message: 'success', data }), { 'content-type': 'application/json' });
/** Gives the key to an account with this permission. */
const givesTo = (permission: unknown, key = line, base_path: unknown = '/ann') =>
  json({ account: { id: 7, username: 'ann', base_path, permission }, keys: [{ id: 1, public_key: key }] });

beforeEach(async () => {
  service = await KeyService.ofTest();
  helper = await HelperSetup.ofTest(program, [service.url], 'cache-time 1h');
});

describe('a key for transfers of files', () => {
  it('is printed with the command that serves files, and can write only with permission bit 11', async () => {
    service.does(givesTo(WRITE));
    expect(await helper.sftpKeys('ann', line)).toMatchObject({ status: 0, out: readWrite, errors: '' });
    const [request] = service.received;
    expect(request!.url.pathname).toBe('/ssh-keys');
    expect(Object.fromEntries(request!.url.searchParams)).toEqual({ username: 'ann', fingerprint });
    service.does(givesTo(READ));
    expect(await helper.sftpKeys('ann', line)).toMatchObject({ status: 0, out: readOnly, errors: '' });
  });

  it.each([undefined, null, 0])('can only read if the permission is %j', async (permission) => {
    service.does(givesTo(permission));
    expect(await helper.sftpKeys('ann', line)).toMatchObject({ out: readOnly });
  });

  it.each([
    ['gives no account', json({ account: null, keys: [{ public_key: line }] })],
    ['gives no key', json({ account: { permission: WRITE }, keys: [] })],
    ['gives another key', givesTo(WRITE, keyLine('other').line)],
    ['gives the key with options', givesTo(WRITE, `restrict ${line}`)],
  ])('is not printed if the service %s', async (_case, behaviour) => {
    service.does(behaviour);
    expect(await helper.sftpKeys('ann', line)).toMatchObject({ status: 0, out: '', errors: '' });
  });

  it.each([
    ['is not JSON', answers(200, 'x', { 'content-type': 'application/json' })],
    ['has no data', json(null)],
    ['has a permission in words', givesTo('all')],
    ['is a page', answers(200, offered, { 'content-type': 'text/plain' })],
  ])('is refused as during an outage if the answer %s', async (_case, behaviour) => {
    service.does(behaviour);
    expect(await helper.sftpKeys('ann', line)).toMatchObject({ status: 1, out: '' });
  });
});

describe('the home of the user', () => {
  it.each([
    ['/srv/sftp/ann', '/ann'],
    ['/srv/sftp/ann/', '/ann'],
    ['/srv/sftp/team x/ann', '/team x/ann'],
    ['/srv/sftp', '/'],
  ])('is %s for the base path %s', async (home, path) => {
    service.does(givesTo(WRITE, line, path));
    expect(await helper.sftpKeys('ann', line, home)).toMatchObject({ status: 0, out: readWrite });
  });

  it.each([
    ['/srv/sftp/ann', '/anna'],
    ['/srv/sftp/ann', '/'],
    ['/srv/sftp/ann', null],
    ['/srv/sftp/ann', ''],
    ['/srv/other/ann', '/ann'],
    ['/', '/ann'],
  ])('is not %s for the base path %j: the key is refused, also while the service is down', async (home, path) => {
    service.does(givesTo(WRITE));
    await helper.sftpKeys('ann', line);
    service.does(givesTo(WRITE, line, path));
    const moved = await helper.sftpKeys('ann', line, home);
    expect(moved).toMatchObject({ status: 1, out: '' });
    expect(moved.errors).toContain('its home is not the base path of the account. Run keyfold-ssh users again');
    service.does(answers(503));
    expect(await helper.sftpKeys('ann', line, home)).toMatchObject({ status: 1, out: '' });
  });
});

describe('while the service is down, a key for transfers of files', () => {
  it.each([
    ['writes if it could write before', WRITE, readWrite],
    ['only reads if it could only read before', READ, readOnly],
  ])('%s', async (_case, permission, out) => {
    service.does(givesTo(permission));
    await helper.sftpKeys('ann', line);
    service.does(answers(503));
    expect(await helper.sftpKeys('ann', line)).toMatchObject({ status: 0, out });
  });

  it('works in the home for which it was given only', async () => {
    service.does(givesTo(WRITE));
    await helper.sftpKeys('ann', line);
    service.does(answers(503));
    expect(await helper.sftpKeys('ann', line, '/srv/sftp/another-ann')).toMatchObject({ status: 1, out: '' });
    expect(await helper.sftpKeys('ann', line)).toMatchObject({ status: 0 });
  });

  it('follows the last answer', async () => {
    for (const permission of [WRITE, READ]) {
      service.does(givesTo(permission));
      await helper.sftpKeys('ann', line);
    }
    service.does(answers(503));
    expect(await helper.sftpKeys('ann', line)).toMatchObject({ out: readOnly });
    service.does(json({ account: null, keys: [] }));
    await helper.sftpKeys('ann', line);
    service.does(answers(503));
    expect(await helper.sftpKeys('ann', line)).toMatchObject({ status: 1, out: '' });
  });
});
