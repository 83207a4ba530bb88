import { beforeAll, describe, expect, it } from 'vitest';
import { accountNamed, adminOf, newMember } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { newKeyLine } from '../support/key-line.js';
import { sharedApp } from '../support/shared-app.js';

interface ListedKey {
  id: number;
  title: string;
  fingerprint: string;
}
interface KeyPage {
  content: ListedKey[];
  total: number;
}

const app = await sharedApp();
const admin = await adminOf(new ApiClient(app.baseUrl));

const list = async (member: ApiClient, query = '') => (await member.get(`/api/me/sshkey/list${query}`)).data<KeyPage>();
const add = async (member: ApiClient, title: string, key: string) =>
  (await member.post('/api/me/sshkey/add', { title, key })).outcome;
const remove = async (member: ApiClient, id: number) => (await member.post(`/api/me/sshkey/delete?id=${id}`)).outcome;

it('two keys in one text, a key with options, half a key and an empty text are refused', async () => {
  const member = await newMember(admin, 'collector');
  const { line } = newKeyLine();
  for (const key of [`${line}\n${line}`, `restrict ${line}`, line.slice(0, 40), ''])
    expect(await add(member, 'refused', key)).toMatch(/^400 (provided key|request) invalid$/);
  expect((await list(member)).total).toBe(0);
});

describe('the list of keys', () => {
  let member: ApiClient;
  const lines = Array.from({ length: 5 }, () => newKeyLine());

  beforeAll(async () => {
    member = await newMember(admin, 'keeper');
    for (const [index, { line }] of lines.entries()) await add(member, `key ${index}`, line);
  });

  it('keeps the order of adding and is paged', async () => {
    const titlesOf = async (query: string) => {
      const { content, total } = await list(member, query);
      return { titles: content.map(({ title }) => title.slice(4)).join(''), total };
    };
    expect(await titlesOf('')).toEqual({ titles: '01234', total: 5 });
    expect(await titlesOf('?page=1&per_page=2')).toEqual({ titles: '01', total: 5 });
    expect(await titlesOf('?page=3&per_page=2')).toEqual({ titles: '4', total: 5 });
    expect(await titlesOf('?page=4&per_page=2')).toEqual({ titles: '', total: 5 });
    expect((await member.get('/api/me/sshkey/list?page=x')).code).toBe(400);
  });

  it('contains each title and each key once', async () => {
    const fresh = newKeyLine().line;
    expect(await add(member, 'key 0', fresh)).toBe('500 key with the same title already exists');
    expect(await add(member, 'again', lines[0]!.line)).toBe('400 this key is already in the list');
    const other = await newMember(admin, 'sharer');
    expect(await add(other, 'key 0', lines[0]!.line)).toBe('200 success');
  });

  it('gets one of 20 parallel adds of one title', async () => {
    const other = await newMember(admin, 'hasty');
    const many = Array.from({ length: 20 }, () => newKeyLine().line);
    const outcomes = await Promise.all(many.map((line) => add(other, 'same', line)));
    expect(outcomes.filter((outcome) => outcome === '200 success')).toHaveLength(1);
    expect((await list(other)).total).toBe(1);
  });

  it('loses deleted keys, and never reuses an id', async () => {
    const [first, ...rest] = (await list(member)).content;
    expect(await remove(member, first!.id)).toBe('200 success');
    expect(await remove(member, first!.id)).toBe('404 failed to get public key');
    expect(await add(member, 'key 0', lines[0]!.line)).toBe('200 success');
    const { content } = await list(member);
    expect(content.slice(0, -1)).toEqual(rest);
    expect(content.at(-1)!.id).toBeGreaterThan(rest.at(-1)!.id);
  });

  it('can be changed by nobody but its owner and the administrator', async () => {
    const { id } = await accountNamed(admin, 'keeper');
    const [first] = (await list(member)).content;
    const stranger = await newMember(admin, 'stranger');
    expect(await remove(stranger, first!.id)).toBe('404 failed to get public key');
    expect((await stranger.get(`/api/admin/user/sshkey/list?uid=${id}`)).outcome).toBe('403 You are not an admin');
    const seen = (await admin.get(`/api/admin/user/sshkey/list?uid=${id}`)).data<KeyPage>();
    expect(seen).toEqual(await list(member));
    expect((await admin.post(`/api/admin/user/sshkey/delete?id=${first!.id}`)).outcome).toBe('200 success');
    expect((await list(member)).total).toBe(seen.total - 1);
  });

  it('is the same after a restart', async () => {
    const before = await list(member);
    await app.restart();
    expect(await list(member)).toEqual(before);
  });
});
