import { describe, expect, it } from 'vitest';
import { withAccounts, withUsers } from './meta-users.js';

/** Accounts 1 to 9 have the users 101 to 109. */
const ids = {
  accountsOf: async (users: Iterable<number>) =>
    new Map([...users].filter((id) => id > 100 && id < 110).map((id) => [id, id - 100])),
  usersOf: async (accounts: Iterable<number>) =>
    new Map([...accounts].filter((id) => id < 10).map((id) => [id, id + 100])),
};
const STORED = { read_users: [101, 200], write_users: null };

const shown = async (data: unknown) => {
  const body = await withAccounts(Buffer.from(JSON.stringify({ code: 200, data })), ids);
  return (JSON.parse(body.toString()) as { data: unknown }).data;
};
const save = (text: string) => withUsers(Buffer.from(text), ids, async (id) => (id === 5 ? STORED : undefined));
const saved = async (text: string) => JSON.parse((await save(text)).toString()) as unknown;

describe('the users of a meta in an answer', () => {
  it('are accounts, without users that have none', async () => {
    const meta = { id: 101, read_users: [102, 200, 101], write_users: null };
    const expected = { id: 101, read_users: [2, 1], write_users: null };
    expect(await shown(meta)).toEqual(expected);
    expect(await shown({ content: [meta, meta], total: 2 })).toEqual({ content: [expected, expected], total: 2 });
  });

  it.each([null, 'text', { content: null }, { id: 1, read_users: [] }])('may be absent: %j', async (data) => {
    expect(await shown(data)).toEqual(data);
  });

  it.each(['{', '{"data":{"read_users":"101"}}', '{"data":{"content":[{"write_users":[-1]}]}}'])(
    'are not shown unless they can be read: %s',
    async (text) => {
      await expect(withAccounts(Buffer.from(text), ids)).rejects.toMatchObject({ status: 502 });
    },
  );
});

describe('the accounts of a meta that is saved', () => {
  it.each(['{"path":"/a","read_users":[2,1,2]}', '{"Path":"/a","Read_USERS":[2,1],"WRITE_users":null}'])(
    'become users, as Go reads the body: %s',
    async (text) => {
      expect(await saved(text)).toEqual({ path: '/a', read_users: [102, 101], write_users: [] });
    },
  );

  it.each(['[2]', '[]', 'null'])('leave the users that have no account where they were: %s', async (list) => {
    const { read_users: users } = (await saved(`{"id":5,"read_users":${list}}`)) as { read_users: number[] };
    expect(users).toEqual(list === '[2]' ? [102, 200] : [200]);
  });

  it('must have a user each', async () => {
    await expect(save('{"read_users":[1],"write_users":[77]}')).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('account 77'),
    });
  });

  it.each([
    '',
    'path=/a',
    '[]',
    'null',
    '{"read_users":"1"}',
    '{"read_users":[1.5]}',
    '{"id":"5"}',
    '{"read_users":[1],"READ_users":[2]}',
    '{"wr\u0130te_users":[1]}',
    '{"read_u\u017fers":[1]}',
    JSON.stringify({ read_users: Array.from({ length: 1_001 }, () => 1) }),
  ])('are refused in another form: %.40s', async (text) => {
    await expect(save(text)).rejects.toMatchObject({ status: 400 });
  });
});
