import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { newAppPassword } from '../support/app-passwords.js';
import { eventually } from '../support/eventually.js';
import { ProftpdSite } from '../support/pam/proftpd-site.js';
import { codeNow, enrol } from '../support/two-factor.js';

let site: ProftpdSite;
const LOGGED_IN = { succeeded: true };
const REFUSED = { succeeded: false, output: expect.stringContaining('Access denied: 530') };
const logged = (text: string) => eventually(() => expect(site.log).toContain(text));

describe('ProFTPD', () => {
  beforeAll(async () => {
    site = await ProftpdSite.start();
  });
  afterAll(() => site.stop());

  it('serves the folder of the base path to an account with its password, and nothing above it', async () => {
    const ann = await site.member('ann');
    await site.member('bob', { base_path: '/team/bob' });
    await writeFile(site.file('team/bob', 'secret.txt'), 'a secret');
    expect(await site.put(ann, '/files/notes.txt', 'a note')).toMatchObject(LOGGED_IN);
    expect(readFileSync(site.file('ann', 'notes.txt'), 'utf8')).toBe('a note');
    expect(await site.get(ann, '/files/notes.txt')).toEqual({ succeeded: true, output: 'a note' });
    expect((await site.list(ann)).output).toMatch(/ files\r?\n$/);
    for (const path of ['/../team/bob/files/secret.txt', '//..//team/bob/files/secret.txt'])
      expect((await site.get(ann, path)).output).not.toContain('a secret');
  });

  it('refuses a wrong password, an unknown name, a missing permission and a disabled account, and logs why', async () => {
    const good = await site.member('good');
    const bare = await site.member('bare', { permission: 1 << 8 });
    const off = await site.member('off');
    await site.update('off', { disabled: true });
    for (const refused of [{ ...good, password: 'wrong' }, { user: 'nobody', password: 'x' }, bare, off])
      expect(await site.list(refused)).toMatchObject(REFUSED);
    await logged('refused user "good" over ftp: Keyfold refuses the login');
    for (const user of ['bare', 'off'])
      await logged(`refused user "${user}": the account is disabled or lacks the permission bit to log in`);
    // They were refused for themselves, not because the server refuses everybody.
    expect(await site.list(good)).toMatchObject(LOGGED_IN);
  });

  it('refuses the users of the machine, also if an account has the name', async () => {
    const daemon = await site.member('daemon');
    for (const login of [daemon, { user: 'root', password: 'x' }])
      expect(await site.list(login)).toMatchObject(REFUSED);
  });

  it('refuses an account whose base path has changed until its new folder is known', async () => {
    const moved = await site.member('moved');
    await site.update('moved', { base_path: '/new/moved' });
    expect(await site.list(moved)).toMatchObject(REFUSED);
    await logged('refused user "moved" over ftp: its home is not the base path of the account');
    await site.writeUsers();
    expect(await site.put(moved, '/files/here.txt', 'here')).toMatchObject(LOGGED_IN);
    expect(readFileSync(site.file('new/moved', 'here.txt'), 'utf8')).toBe('here');
  });

  it('refuses an account that may not write, because its session could', async () => {
    expect(await site.list(await site.reader('reader'))).toMatchObject(REFUSED);
    await logged('the account may not write, and the server is not read-only');
  });

  it('accepts an app password for FTP until it is revoked, and the code of two-factor after the password', async () => {
    const { user, password } = await site.member('careful');
    const owner = await site.ownerOf(user);
    const secret = await enrol(owner);
    const ftp = await newAppPassword(owner, { protocol: 'ftp' });
    const dav = await newAppPassword(owner, { protocol: 'webdav' });
    expect(await site.list({ user, password: ftp.password })).toMatchObject(LOGGED_IN);
    expect(await site.list({ user, password: dav.password })).toMatchObject(REFUSED);
    expect(await site.list({ user, password })).toMatchObject(REFUSED);
    expect(await site.list({ user, password: password + codeNow(secret, 1) })).toMatchObject(LOGGED_IN);
    (await owner.post('/api/me/app_passwords/revoke', { id: ftp.id })).data();
    expect(await site.list({ user, password: ftp.password })).toMatchObject(REFUSED);
  });

  it('throttles the client that guesses, and nobody else', async () => {
    const guessed = await site.member('guessed');
    const guess = { user: 'guessed', password: 'wrong', from: '127.1.0.2' };
    for (let count = 0; count < 6; count++) expect(await site.list(guess)).toMatchObject(REFUSED);
    await logged('Keyfold throttles logins after too many failures');
    expect(await site.list(guessed)).toMatchObject(LOGGED_IN);
    expect((await new ApiClient(site.app.baseUrl).from(guess.from).logIn('guessed', guessed.password)).code).toBe(429);
  });

  it('refuses everybody while Keyfold is down, logs why, and asks again as soon as it is back', async () => {
    const late = await site.member('late');
    await site.app.kill();
    expect(await site.list(late)).toMatchObject(REFUSED);
    await logged('because Keyfold gave no answer');
    await site.app.restart();
    expect(await site.list(late)).toMatchObject(LOGGED_IN);
  });
});

describe('a read-only ProFTPD', () => {
  beforeAll(async () => {
    site = await ProftpdSite.start(true);
  });
  afterAll(() => site.stop());

  it('serves an account that may not write', async () => {
    const reader = await site.reader('reader');
    await writeFile(site.file('reader', 'kept.txt'), 'kept');
    expect(await site.get(reader, '/files/kept.txt')).toEqual({ succeeded: true, output: 'kept' });
    expect(await site.put(reader, '/files/new.txt', 'new')).toMatchObject({ succeeded: false });
    expect(existsSync(site.file('reader', 'new.txt'))).toBe(false);
  });
});
