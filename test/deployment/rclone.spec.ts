import { existsSync, readFileSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { newAppPassword } from '../support/app-passwords.js';
import { eventually } from '../support/eventually.js';
import { addKey } from '../support/openssh/file-servers.js';
import { newKeyPair } from '../support/openssh/key-pair.js';
import { RcloneSite } from '../support/rclone/rclone-site.js';
import type { RcloneProtocol } from '../support/rclone/rclone-unit.js';
import { codeNow, enrol } from '../support/two-factor.js';

const RELEASES = ['debian', 'current'] as const;

let site: RcloneSite;
const inSite = (...names: string[]) => readFileSync(site.server.site(...names), 'utf8');
const isInSite = (...names: string[]) => existsSync(site.server.site(...names));
const logged = (text: string) => eventually(() => expect(site.server.log).toContain(text));
const ownerOf = (user: string) => signedInAs(new ApiClient(site.app.baseUrl), user);

/** Starts a server with the shipped configuration for the suite, and tests what each protocol must do. */
function itServesAccounts(release: (typeof RELEASES)[number], protocol: RcloneProtocol): void {
  beforeAll(async () => {
    site = await RcloneSite.start(release, protocol);
  });
  afterAll(() => site.stop());

  it('serves the folder of the base path to an account with its password', async () => {
    const ann = await site.member('ann');
    expect(await site.client.put(ann, 'notes.txt', 'a note')).toMatchObject({ succeeded: true });
    expect(inSite('ann', 'notes.txt')).toBe('a note');
    const listed = await site.client.list(ann);
    expect(listed).toMatchObject({ succeeded: true, output: expect.stringContaining('notes.txt') });
    expect((await site.client.get(ann, 'notes.txt')).output).toContain('a note');
    expect(await site.client.remove(ann, 'notes.txt')).toMatchObject({ succeeded: true });
    expect(isInSite('ann', 'notes.txt')).toBe(false);
  });

  it('serves the folder of the site to the base path /, also for reading only', async () => {
    for (const [user, permission] of Object.entries({
      whole: site.permissions.login | site.permissions.write,
      viewer: site.permissions.login,
    })) {
      const listed = await site.client.list(await site.member(user, { base_path: '/', permission }));
      expect(listed).toMatchObject({ succeeded: true, output: expect.stringContaining(user) });
    }
  });

  it('refuses a wrong password, an unknown name, a right for another protocol only, and a disabled account', async () => {
    const good = await site.member('good');
    const bare = await site.member('bare', { permission: site.permissions.other });
    const off = await site.member('off');
    await site.update('off', { disabled: true });
    for (const refused of [{ ...good, password: 'wrong' }, { user: 'nobody', password: 'x' }, bare, off])
      expect(await site.client.list(refused)).toMatchObject({ succeeded: false });
    // They were refused for themselves, not because the server refuses everybody.
    expect(await site.client.list(good)).toMatchObject({ succeeded: true });
  });

  it('takes the one-time code of an account with two-factor after its password, not the password alone', async () => {
    const { user, password } = await site.member('protected');
    const secret = await enrol(await ownerOf(user));
    expect(await site.client.list({ user, password })).toMatchObject({ succeeded: false });
    const withCode = { user, password: password + codeNow(secret, 1) };
    expect(await site.client.list(withCode)).toMatchObject({ succeeded: true });
  });

  it('takes an app password for the protocol in place of the password and the code, and one for another protocol not', async () => {
    const { user } = await site.member('app-user');
    const owner = await ownerOf(user);
    await enrol(owner);
    const other = await newAppPassword(owner, { protocol: protocol === 'webdav' ? 'ftp' : 'webdav' });
    expect(await site.client.list({ user, password: other.password })).toMatchObject({ succeeded: false });
    const { password } = await newAppPassword(owner, { protocol });
    expect(await site.client.list({ user, password })).toMatchObject({ succeeded: true });
  });

  it('lets nobody out of the folder of the base path', async () => {
    const inside = await site.member('inside');
    await site.member('outside');
    await writeFile(site.server.site('outside', 'secret.txt'), 'a secret');
    await writeFile(site.server.site('inside', 'own.txt'), 'own');
    await symlink('../outside', site.server.site('inside', 'link'));
    const paths = [
      '../outside/secret.txt',
      '/../outside/secret.txt',
      '..//outside/secret.txt',
      'a/../../outside/secret.txt',
      '%2e%2e/outside/secret.txt',
      '..%2foutside/secret.txt',
      'link/secret.txt',
    ];
    for (const path of paths) {
      const { output } = await site.client.get(inside, path);
      expect(output, path).not.toContain('a secret');
      await site.client.put(inside, path.replace('secret.txt', 'planted'), 'planted');
      expect(isInSite('outside', 'planted'), path).toBe(false);
      expect(isInSite('planted'), path).toBe(false);
    }
    // The client itself works.
    expect((await site.client.get(inside, 'own.txt')).output).toContain('own');
  });

  it('lets an account without the right to write only read', async () => {
    const reader = await site.member('reader', { permission: site.permissions.login });
    await writeFile(site.server.site('reader', 'kept.txt'), 'kept');
    expect((await site.client.get(reader, 'kept.txt')).output).toContain('kept');
    const { client } = site;
    for (const change of [
      () => client.put(reader, 'new.txt', 'new'),
      () => client.put(reader, 'kept.txt', 'changed'),
      () => client.remove(reader, 'kept.txt'),
    ]) {
      expect(await change()).toMatchObject({ succeeded: false });
      expect(inSite('reader', 'kept.txt')).toBe('kept');
    }
    expect(isInSite('reader', 'new.txt')).toBe(false);
  });
}

describe.each(RELEASES)('sftp of the %s rclone', (release) => {
  itServesAccounts(release, 'sftp');

  it('lets nobody in by a key, and its public half is no password after it was offered', async () => {
    const { user } = await site.member('keyed');
    const key = await newKeyPair(site.server.clients);
    await addKey(await ownerOf(user), 'laptop', key.line);
    const password = key.line.split(' ')[1]!;
    expect(await site.client.list({ user, password, offered: key })).toMatchObject({ succeeded: false });
    expect(await site.client.list({ user, key })).toMatchObject({ succeeded: false });
  });
});

describe('ftp of the current rclone', () => {
  itServesAccounts('current', 'ftp');
});

describe.each(RELEASES)('a key over sftp of the %s rclone that accepts keys', (release) => {
  beforeAll(async () => {
    site = await RcloneSite.start(release, 'sftp', true);
  });
  afterAll(() => site.stop());

  it('lets in, if the account has it', async () => {
    const { user } = await site.member('keyed');
    const owner = await ownerOf(user);
    const [added, removed] = [await newKeyPair(site.server.clients), await newKeyPair(site.server.clients)];
    for (const [title, pair] of Object.entries({ added, removed })) await addKey(owner, title, pair.line);
    const { content } = (await owner.get('/api/me/sshkey/list')).data<{ content: { id: number; title: string }[] }>();
    const { id } = content.find(({ title }) => title === 'removed')!;
    (await owner.post(`/api/me/sshkey/delete?id=${id}`)).data();
    for (const key of [removed, await newKeyPair(site.server.clients)])
      expect(await site.client.list({ user, key })).toMatchObject({ succeeded: false });
    expect(await site.client.put({ user, key: added }, 'by-key.txt', 'by key')).toMatchObject({ succeeded: true });
    expect(inSite('keyed', 'by-key.txt')).toBe('by key');
  });

  it('is also a password after its public half was offered', async () => {
    const { user } = await site.member('offered');
    const offered = await newKeyPair(site.server.clients);
    await addKey(await ownerOf(user), 'laptop', offered.line);
    const login = { user, password: offered.line.split(' ')[1]! };
    expect(await site.client.list(login)).toMatchObject({ succeeded: false });
    // The limit of rclone for which keys are off by default.
    expect(await site.client.list({ ...login, offered })).toMatchObject({ succeeded: true });
  });
});

// The code of rclone that asks about logins is the same for all protocols, so one of them is enough for the other facts.
describe.each([
  { release: 'debian', isAdmitted: false, waits: 'everybody who uses the account over rclone' },
  { release: 'current', isAdmitted: true, waits: 'only the client that guesses' },
] as const)('webdav of the $release rclone', ({ release, isAdmitted, waits }) => {
  itServesAccounts(release, 'webdav');

  it('refuses an account whose folder is missing or leads out of the site, and logs why', async () => {
    const { login: permission } = site.permissions;
    await createAccount(site.admin, 'roomless', { permission, base_path: '/no/folder' });
    await createAccount(site.admin, 'leading', { permission, base_path: '/out' });
    await symlink('/etc', site.server.site('out'));
    for (const user of ['roomless', 'leading'])
      expect(await site.client.list({ user, password: `pw-${user}` })).toMatchObject({ succeeded: false });
    await logged('Create /srv/keyfold/no/folder, writable for user 2902');
    await logged('path escapes from parent');
    expect(isInSite('no')).toBe(false);
  });

  it('refuses whoever has not come in before at once after a change', async () => {
    const leaving = await site.member('leaving');
    await site.update('leaving', { disabled: true });
    expect(await site.client.list(leaving)).toMatchObject({ succeeded: false });
    await site.update('leaving', { disabled: false });
    expect(await site.client.list(leaving)).toMatchObject({ succeeded: true });
  });

  it('refuses everybody while Keyfold is down, logs why, and asks again as soon as it is back', async () => {
    const late = await site.member('late');
    await site.app.kill();
    expect(await site.client.list(late)).toMatchObject({ succeeded: false });
    await logged(String.raw`refused user \"late\", because Keyfold gave no answer`);
    await site.app.restart();
    expect(await site.client.list(late)).toMatchObject({ succeeded: true });
  });

  it('remembers who came in until it restarts', async () => {
    const known = await site.member('known');
    const { user, password } = await site.member('coded');
    const coded = { user, password: password + codeNow(await enrol(await ownerOf(user)), 1) };
    for (const login of [known, coded]) expect(await site.client.list(login)).toMatchObject({ succeeded: true });
    await site.update('known', { disabled: true });
    // The limit of rclone that the guide describes: it does not ask again.
    for (const login of [known, coded]) expect(await site.client.list(login)).toMatchObject({ succeeded: true });
    await site.restartRclone();
    for (const name of ['known', 'coded']) await site.server.addFolder(name);
    // The code was used when it was asked about.
    for (const login of [known, coded]) expect(await site.client.list(login)).toMatchObject({ succeeded: false });
  });

  it(`makes ${waits} wait after wrong passwords`, async () => {
    const guessed = await site.member('guessed');
    const guess = { user: 'guessed', password: 'wrong', from: '127.1.0.2' };
    for (let count = 0; count < 6; count++) expect(await site.client.list(guess)).toMatchObject({ succeeded: false });
    await logged(String.raw`refused user \"guessed\": Keyfold throttles logins`);
    expect(await site.client.list(guessed)).toMatchObject({ succeeded: isAdmitted });
    // The API counts the same failures, for the address that Keyfold believes.
    const counted = release === 'current' ? guess.from : '127.0.0.1';
    const answer = await new ApiClient(site.app.baseUrl).from(counted).logIn('guessed', guessed.password);
    expect(answer.code).toBe(429);
  });
});
