import { chown } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { keyLine } from '../support/key-line.js';
import { withoutPrivateHalf } from '../support/openssh/key-pair.js';
import { ssh } from '../support/openssh/sftp.js';
import { HelperSetup } from '../support/openssh/ssh-helper.js';
import { addKey, keysOf, OpensshSite, SFTP } from './openssh-site.js';

/** Names that the machine and Keyfold know. */
const USERS = ['ann', 'carl', 'eve', 'fred', 'gil', 'hugo'];
/** Such names, with what a shell would run or split. */
const HOSTILE = ['ann;id', '$(id)', '`id`', 'ann|id', 'ann&id', "ann'id", 'ann*'];

let site: OpensshSite;
beforeAll(async () => {
  const accounts = ['bob', 'rita'].map((username) => ({ username, basePath: '/bob' }));
  site = await OpensshSite.start({ users: [...USERS, ...HOSTILE], accounts });
});
afterAll(() => site?.stop());

describe('a key of an account', () => {
  it('opens an sftp session as soon as it was added', async () => {
    const ann = await site.clientOf('ann');
    const pair = await site.sshd.newKeyPair();
    expect(await site.sshd.logIn('ann', pair)).toMatchObject({ succeeded: false });
    await addKey(ann, pair, 'laptop');
    const login = await site.sshd.logIn('ann', pair);
    expect(login).toMatchObject({ succeeded: true });
    expect(login.output).toContain('Remote working directory: /');
  });

  it('opens no session of another account, and a wrong key none of this account', async () => {
    const pair = await site.keyOf(await site.clientOf('ann'), 'desktop');
    expect(await site.sshd.logIn('carl', pair)).toMatchObject({ succeeded: false });
    expect(await site.sshd.logIn('carl', await site.sshd.newKeyPair())).toMatchObject({ succeeded: false });
    expect(await site.sshd.logIn('ann', pair)).toMatchObject({ succeeded: true });
  });

  it('opens no session of a user of the machine who has no account, and none of an account without a user', async () => {
    const pair = await site.keyOf(await site.clientOf('ann'), 'tablet');
    expect(await site.sshd.logIn('zoe', pair)).toMatchObject({ succeeded: false });
    for (const name of ['ann ', 'no-user', '../ann'])
      expect(await site.sshd.logIn(name, pair)).toMatchObject({ succeeded: false });
  });

  it.each(HOSTILE)('opens no session of %j, although the machine and Keyfold know this name', async (name) => {
    const pair = await site.keyOf(await site.clientOf(name));
    expect(await site.lookUp(name, pair)).toContain('ssh-ed25519 ');
    const login = await site.sshd.logIn(name, pair);
    expect(login).toMatchObject({ succeeded: false, output: expect.stringContaining('Permission denied (publickey)') });
    // sshd knows the name, so it has run the program.
    expect(site.sshd.log).toContain(`Failed publickey for ${name} `);
  });

  it('opens a session if it is the last of 300', async () => {
    const fred = await site.clientOf('fred');
    for (let count = 1; count < 300; count++) await addKey(fred, keyLine(`key ${count} of fred`), `key ${count}`);
    const pair = await site.keyOf(fred, 'the last');
    expect(await site.sshd.logIn('fred', pair)).toMatchObject({ succeeded: true });
  });

  it('opens 50 sessions at once', async () => {
    const gil = await site.clientOf('gil');
    const pair = await site.keyOf(gil);
    const logins = await Promise.all(Array.from({ length: 50 }, () => site.sshd.logIn('gil', pair)));
    expect(logins.filter(({ succeeded }) => !succeeded).map(({ output }) => output)).toEqual([]);
  });
});

describe('the last use of a key', () => {
  it('does not change by an offer without a signature', async () => {
    const eve = await site.clientOf('eve');
    const pair = await withoutPrivateHalf(await site.keyOf(eve));
    const [before] = await keysOf(eve);
    const offer = await site.sshd.logIn('eve', pair);
    expect(offer).toMatchObject({ succeeded: false });
    expect(offer.output).toContain('Server accepts key');
    // A second login, whose use is recorded, shows that the first was not merely late.
    const signing = await site.keyOf(eve, 'signing');
    expect(await site.sshd.logIn('eve', signing)).toMatchObject({ succeeded: true });
    const [offered, signed] = await eventually(async () => {
      const keys = await keysOf(eve);
      expect(keys[1]!.last_used_time).not.toBe(keys[1]!.added_time);
      return keys;
    });
    expect(offered!.last_used_time).toBe(before!.last_used_time);
    expect(Date.parse(signed!.last_used_time)).toBeGreaterThan(Date.now() - 60_000);
  });
});

describe('an account without a home on the machine', () => {
  it('transfers files in a folder of its own, as a Unix user that it shares with others', async () => {
    const pair = await site.keyOf(await site.clientOf('bob'));
    const own = await site.sshd.logIn('bob', pair, 'put /etc/hostname mine\nls -l\npwd\n-get /etc/passwd /dev/null');
    expect(own).toMatchObject({ succeeded: true });
    expect(own.output).toMatch(/^-.* mine$/m);
    expect(own.output).toContain('Remote working directory: /files');
    expect(own.output).toContain('"/etc/passwd" not found');
    const ofHugo = await site.keyOf(await site.clientOf('hugo'));
    expect(await site.sshd.logIn('bob', ofHugo)).toMatchObject({ succeeded: false });
  });

  it('writes only with permission bit 11, from the next login on', async () => {
    const pair = await site.keyOf(await site.clientOf('rita'));
    for (const permission of [SFTP, 1 << 10, SFTP]) {
      await site.update('rita', { permission });
      const put = await site.sshd.logIn('rita', pair, 'put /etc/hostname of-rita');
      expect(put.succeeded, put.output).toBe(permission === SFTP);
      if (!put.succeeded) expect(put.output).toContain('Permission denied');
      expect(await site.sshd.logIn('rita', pair, 'get of-rita /dev/null')).toMatchObject({ succeeded: true });
    }
  });

  it('gets no shell, no other command and no forwarding', async () => {
    const pair = await site.keyOf(await site.clientOf('bob'), 'laptop of bob');
    const command = await ssh(site.sshd.port, 'bob', pair, [], ['echo', 'reached']);
    expect(command.output).not.toMatch(/^reached/m);
    expect(command.output).toContain('Sending command: echo reached');
    const terminal = await ssh(site.sshd.port, 'bob', pair, ['-tt'], []);
    expect(terminal.output).toContain('PTY allocation request failed');
    const forwarding = await ssh(site.sshd.port, 'bob', pair, ['-W', `127.0.0.1:${site.sshd.port}`], []);
    expect(forwarding).toMatchObject({
      succeeded: false,
      output: expect.stringContaining('administratively prohibited'),
    });
  });
});

describe('the configuration of the helper', () => {
  it('is refused if another user owns it, its token or its folder', async () => {
    const helper = await HelperSetup.ofTest(site.sshd.helper, ['http://127.0.0.1:1']);
    for (const path of [helper.config, helper.tokenFile, helper.folder]) {
      await chown(path, 12_345, 0);
      expect(await helper.keys('ann', keyLine('any').line)).toMatchObject({
        status: 1,
        errors: expect.stringContaining(`${path} belongs to user 12345. Run: chown root ${path}`),
      });
      await chown(path, 0, 0);
    }
  });
});
