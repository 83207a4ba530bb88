import { describe, expect, it } from 'vitest';
import { accountNamed, adminOf, newMember } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { keyLine, newKeyLine } from '../support/key-line.js';
import { expectOwnersFound } from '../support/key-owner-reads.js';
import { sharedApp } from '../support/shared-app.js';
import { authorizedKeysOf, inMilliseconds, listedKeysOf, ownersOf } from '../support/ssh-key-routes.js';
import { timesLength } from '../support/test-length.js';

// Each request has its own connection, so parallel requests meet in several threads.
const app = await sharedApp({ KEYFOLD_THREADS: '4' });
const admin = await adminOf(new ApiClient(app.baseUrl));
const DAY = 86_400_000;

/** Creates a member with one key. */
async function memberWithKey(name: string, fields: object = {}) {
  const member = await newMember(admin, name);
  const key = newKeyLine();
  expect((await member.post('/api/me/sshkey/add', { title: 'laptop', key: key.line, ...fields })).outcome).toBe(
    '200 success',
  );
  const [listed] = await listedKeysOf(member);
  return { member, key, id: listed!.id };
}

const update = async (member: ApiClient, body: object) => (await member.post('/api/me/sshkey/update', body)).outcome;

describe('a listed key', () => {
  it('shows its type, size, comment, MD5 fingerprint and expiry after the fields of the contract', async () => {
    const expires = inMilliseconds(DAY);
    const { member, key } = await memberWithKey('fields', { expires });
    const [listed] = await listedKeysOf(member);
    expect(Object.keys(listed!)).toEqual([
      'id',
      'title',
      'fingerprint',
      'added_time',
      'last_used_time',
      'type',
      'bits',
      'comment',
      'fingerprint_md5',
      'expires_time',
      'expired',
    ]);
    expect(listed).toMatchObject({
      fingerprint: key.fingerprint,
      type: 'ssh-ed25519',
      bits: 256,
      comment: key.line.split(' ')[2],
      fingerprint_md5: expect.stringMatching(/^MD5(:[0-9a-f]{2}){16}$/) as string,
      expires_time: expires,
      expired: false,
    });
    const { id } = await accountNamed(admin, 'fields');
    const seen = await admin.get(`/api/admin/user/sshkey/list?uid=${id}`);
    expect(seen.data<{ content: object[] }>().content).toEqual([listed]);
  });
});

describe('an added key', () => {
  it.each([
    ['a past time', { expires: '2020-01-31T12:00:00Z' }, /^400 the expiry must lie in the future/],
    ['a time far away', { expires: '2099-01-31T12:00:00Z' }, /^400 the expiry must lie in the future/],
    ['no time', { expires: 'tomorrow' }, /^400 expires must be an RFC 3339 time/],
    ['a number', { expires: 1 }, /^400 request invalid$/],
  ])('is refused with an expiry that is %s', async (_which, fields, refusal) => {
    const member = await newMember(admin, `refused ${_which}`);
    const body = { title: 'laptop', key: newKeyLine().line, ...fields };
    expect((await member.post('/api/me/sshkey/add', body)).outcome).toMatch(refusal);
    expect(await listedKeysOf(member)).toEqual([]);
  });

  it.each([null, ''])('never expires with the expiry %j', async (expires) => {
    const { member } = await memberWithKey(`never ${JSON.stringify(expires)}`, { expires });
    expect(await listedKeysOf(member)).toMatchObject([{ expires_time: null, expired: false }]);
  });
});

describe('an updated key', () => {
  it('changes title and expiry, together and one without the other', async () => {
    const { member, id } = await memberWithKey('updater');
    const expires = inMilliseconds(DAY);
    expect(await update(member, { id, title: 'desk', expires })).toBe('200 success');
    expect(await listedKeysOf(member)).toMatchObject([{ id, title: 'desk', expires_time: expires }]);
    expect(await update(member, { id, title: 'shelf' })).toBe('200 success');
    expect(await listedKeysOf(member)).toMatchObject([{ id, title: 'shelf', expires_time: expires }]);
    expect(await update(member, { id, expires: null })).toBe('200 success');
    expect(await listedKeysOf(member)).toMatchObject([{ id, title: 'shelf', expires_time: null }]);
    expect(await update(member, { id })).toBe('200 success');
  });

  it('is refused with a line for each wrong field', async () => {
    const { member } = await memberWithKey('mistyper');
    expect(await update(member, { id: 'x', title: '', expires: 'soon', expire: 1 })).toBe(
      [
        '400 id must be a positive integer',
        'title must be a text that is not empty',
        'expires must be an RFC 3339 time such as 2027-01-31T12:00:00Z',
        'unknown field "expire"',
      ].join('\n'),
    );
    expect(await update(member, { title: 'desk' })).toBe('400 id must be a positive integer');
    expect(await update(member, { id: 1, title: null })).toBe('400 title must be a text that is not empty');
  });

  it('is refused with the title of another key, and if the caller has no such key', async () => {
    const { member, id } = await memberWithKey('neighbour');
    await member.post('/api/me/sshkey/add', { title: 'phone', key: newKeyLine().line });
    expect(await update(member, { id, title: 'phone' })).toBe('500 key with the same title already exists');
    const stranger = await newMember(admin, 'intruder');
    expect(await update(stranger, { id, title: 'mine' })).toBe('404 failed to get public key');
  });
});

describe('the authorized_keys file', () => {
  it('has one line for each key, and a client that has it gets 304', async () => {
    const { member, key, id } = await memberWithKey('filer');
    const path = '/api/me/sshkey/authorized_keys';
    const file = await member.get(path);
    const [type, blob] = key.line.split(' ');
    expect(file.text).toBe(`${type} ${blob} laptop\n`);
    expect(file.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'private, no-cache',
      vary: 'Authorization, Origin',
    });
    const etag = String(file.headers['etag']);
    const again = () => member.send({ path, headers: { 'if-none-match': etag } });
    expect(await again()).toMatchObject({ status: 304, text: '' });
    await update(member, { id, title: 'x\nssh-ed25519 AAAA' });
    expect(await again()).toMatchObject({ status: 200, text: `${type} ${blob} x ssh-ed25519 AAAA\n` });
  });

  it('is empty without keys, and refused without a login', async () => {
    const member = await newMember(admin, 'empty');
    expect(await authorizedKeysOf(member)).toEqual([]);
    const { outcome } = await new ApiClient(app.baseUrl).get('/api/me/sshkey/authorized_keys');
    expect(outcome).toBe('401 Guest user is disabled, login please');
  });
});

describe('the owners of a key', () => {
  it('are found by either fingerprint, however the client encodes it', async () => {
    const { member, key, id } = await memberWithKey('owner');
    const { id: user_id } = await accountNamed(admin, 'owner');
    const owner = { user_id, username: 'owner', disabled: false, key_id: id, title: 'laptop' };
    const found = { content: [{ ...owner, expires_time: null, expired: false }], next: null };
    expect(await ownersOf(admin, key.fingerprint)).toEqual(found);
    const md5 = (await listedKeysOf(member))[0]!.fingerprint_md5;
    for (const form of [md5, `MD5:${md5.slice(4).toUpperCase()}`, `${key.fingerprint}=`])
      expect(await ownersOf(admin, form)).toEqual(found);
    // A plus sign that is not escaped stands for a space in a query.
    const raw = await admin.get(`/api/admin/sshkey/find?fingerprint=${key.fingerprint}`);
    expect(raw.data()).toEqual(found);
    await member.post(`/api/me/sshkey/delete?id=${id}`);
    expect(await ownersOf(admin, key.fingerprint)).toEqual({ content: [], next: null });
  });

  it('are refused without a fingerprint', async () => {
    expect((await admin.get('/api/admin/sshkey/find?fingerprint=SHA256:x&user=1')).outcome).toBe(
      '400 fingerprint must have the form SHA256:… or MD5:… that ssh-keygen -l prints\nunknown field "user"',
    );
  });
});

it('of 20 parallel adds of one title, one succeeds', async () => {
  const member = await newMember(admin, 'hasty');
  const lines = Array.from({ length: 20 }, () => newKeyLine().line);
  const add = async (key: string) => (await member.post('/api/me/sshkey/add', { title: 'same', key })).outcome;
  const outcomes = await Promise.all(lines.map(add));
  expect(outcomes.filter((outcome) => outcome === '200 success')).toHaveLength(1);
  expect(await listedKeysOf(member)).toHaveLength(1);
});

it('a key is refused a second time in the list of one member, and accepted in that of another', async () => {
  const { member, key } = await memberWithKey('twice');
  const again = { title: 'again', key: key.line };
  expect((await member.post('/api/me/sshkey/add', again)).outcome).toBe('400 this key is already in the list');
  const other = await newMember(admin, 'sharer');
  expect((await other.post('/api/me/sshkey/add', again)).outcome).toBe('200 success');
});

it('the owner of a key is found in another thread at once, and no longer after its removal', () =>
  expectOwnersFound([app.baseUrl, app.baseUrl], 'ann', timesLength(60)));

it('the keys of a member can take up to one mebibyte', async () => {
  const member = await newMember(admin, 'collector');
  const add = async (title: string, key: string) => (await member.post('/api/me/sshkey/add', { title, key })).outcome;
  expect(await add(`${'ä'.repeat(512)}a`, newKeyLine().line)).toBe('400 the title is too long: at most 1024 bytes');
  expect(await add('ä'.repeat(512), newKeyLine().line)).toBe('200 success');
  const outcomes: string[] = [];
  while (outcomes.length < 100 && outcomes.at(-1) !== '400 the list of keys is full, delete one first')
    outcomes.push(
      await add(`key ${outcomes.length}`, `${keyLine(`key ${outcomes.length}`).line}${'c'.repeat(15_000)}`),
    );
  expect(new Set(outcomes.slice(0, -1))).toEqual(new Set(['200 success']));
  // 1,024 KiB in keys of 15 KB.
  expect(outcomes.length).toBe(70);
  const list = await member.get('/api/me/sshkey/list');
  expect(list.data<{ total: number }>().total).toBe(70);
});
