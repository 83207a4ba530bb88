import { describe, expect, it } from 'vitest';
import { updateAccount } from '../support/account-changes.js';
import { accountNamed, adminOf, newMember } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import {
  appPasswordsOf,
  newAppPassword,
  type NewAppPassword,
  type ShownAppPassword,
} from '../support/app-passwords.js';
import { sharedApp } from '../support/shared-app.js';

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);

const create = (client: ApiClient, body: object) => client.post('/api/me/app_passwords', body);
const revoke = (client: ApiClient, id: number) => client.post('/api/me/app_passwords/revoke', { id });
const revokeAny = (client: ApiClient, id: number) => client.post('/api/admin/app_password/revoke', { id });
const listAny = (client: ApiClient, query = '') => client.get(`/api/admin/app_password/list${query}`);
const idsOf = (passwords: readonly { id: number }[]) => passwords.map(({ id }) => id);

describe('an app password', () => {
  it('is shown once', async () => {
    const member = await newMember(admin, 'maker');
    const answer = await create(member, { name: 'phone', protocol: 'webdav', expires: null });
    const { password, ...shown } = answer.data<NewAppPassword>();
    expect(password).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){4}[0-9a-hjkmnp-tv-z]{4}$/);
    expect(shown).toEqual({
      id: (await accountNamed(admin, 'maker')).id * 2 ** 20 + 1,
      name: 'phone',
      protocol: 'webdav',
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      expires: null,
      last_used: null,
      expired: false,
    });
    for (const list of [await member.get('/api/me/app_passwords'), await listAny(admin)]) {
      expect(list.text).toContain('phone');
      for (const secret of [password, password.replaceAll('-', ''), 'hash']) expect(list.text).not.toContain(secret);
    }
    expect(await appPasswordsOf(member)).toEqual([shown]);
  });

  it('of another account cannot be revoked, except by an administrator', async () => {
    const [owner, other] = [await newMember(admin, 'owner'), await newMember(admin, 'other')];
    const { id } = await newAppPassword(owner);
    expect((await revoke(other, id)).outcome).toBe('404 failed to find app password');
    expect((await revokeAny(other, id)).outcome).toBe('403 You are not an admin');
    expect((await listAny(other)).outcome).toBe('403 You are not an admin');
    expect(await appPasswordsOf(owner)).toHaveLength(1);
    expect((await revokeAny(admin, id)).outcome).toBe('200 success');
    expect(await appPasswordsOf(owner)).toEqual([]);
    expect((await revokeAny(admin, id)).outcome).toBe('404 failed to find app password');
  });

  it('and its end are in the history, with its id, name and protocol', async () => {
    const member = await newMember(admin, 'chronicler');
    const { id } = await newAppPassword(member, { name: 'phone', protocol: 'sftp' });
    (await revokeAny(admin, id)).data();
    const { content } = (await member.get('/api/me/activity?limit=2')).data<{
      content: { type: string; actor: { username: string }; details: object }[];
    }>();
    expect(content.map(({ type, actor, details }) => [type, actor.username, details])).toEqual([
      // Members do not see which administrator it was.
      ['app-password.revoked', '', { app_password_id: id }],
      ['app-password.created', 'chronicler', { app_password_id: id, name: 'phone', protocol: 'sftp', expires: null }],
    ]);
  });

  it('survives restarts and crashes, and so does a revocation', async () => {
    const member = await newMember(admin, 'survivor');
    const [kept, revoked] = [await newAppPassword(member), await newAppPassword(member)];
    (await revoke(member, revoked.id)).data();
    for (const end of ['stop', 'kill'] as const) {
      await app[end]();
      await app.restart();
      expect(idsOf(await appPasswordsOf(member))).toEqual([kept.id]);
    }
  });
});

describe('a creation', () => {
  it('names every wrong field at once', async () => {
    const answer = await create(admin, { name: '', protocol: 'scp', expires: 'never', expire: null });
    expect(answer.outcome.split('\n')).toEqual([
      '400 name must be longer than or equal to 1 characters',
      'protocol must be one of the following values: sftp, webdav, ftp, any, web',
      'expires must be an RFC 3339 time such as 2027-01-31T12:00:00Z',
      'unknown field "expire"',
    ]);
  });

  it.each([
    ['without a protocol', { protocol: undefined }, 'protocol must be one of'],
    ['with a name that is too long', { name: 'a'.repeat(101) }, 'name must be shorter'],
    ['with an expiry in the past', { expires: '2020-01-01T00:00:00Z' }, 'expires must be in the future'],
  ])('%s is refused', async (_, fields, message) => {
    const answer = await create(admin, { name: 'refused', protocol: 'any', ...fields });
    expect(answer.outcome).toMatch(/^400 /);
    expect(answer.outcome).toContain(message);
  });
});

describe('the routes for own app passwords', () => {
  it('refuse a guest who logs in', async () => {
    await updateAccount(admin, 'guest', { disabled: false, password: 'guest-pass' });
    const guest = await api.signedIn('guest', 'guest-pass');
    const answers = [
      await create(guest, { name: 'x', protocol: 'any' }),
      await guest.get('/api/me/app_passwords'),
      await revoke(guest, 2_097_153),
    ];
    for (const { outcome } of answers) expect(outcome).toBe('403 Guest user can not have app passwords');
    await updateAccount(admin, 'guest', { disabled: true });
  });
});

describe('the list of all app passwords', () => {
  it('shows the accounts that have some in pages', async () => {
    const made = [];
    for (const name of ['lister1', 'lister2']) {
      const member = await newMember(admin, name);
      made.push(await newAppPassword(member), await newAppPassword(member, { protocol: 'ftp' }));
    }
    const { content, total } = (await listAny(admin)).data<{
      content: { user_id: number; username: string; app_passwords: ShownAppPassword[] }[];
      total: number;
    }>();
    for (const [at, name] of ['lister1', 'lister2'].entries()) {
      const owner = content.find(({ username }) => username === name)!;
      expect(idsOf(owner.app_passwords)).toEqual(idsOf(made.slice(2 * at, 2 * at + 2)));
      const { id } = await accountNamed(admin, name);
      expect((await listAny(admin, `?user_id=${id}`)).data()).toEqual({ content: [owner], total: 1 });
    }
    const pages = [];
    for (let page = 1; page <= total; page++)
      pages.push(...(await listAny(admin, `?per_page=1&page=${page}`)).data<{ content: object[] }>().content);
    expect(pages).toEqual(content);
  });
});
