import { expect, it } from 'vitest';
import { adoptOpenlistUsers, type AdoptionRun } from './adopt-confirmed.js';

type Args = Parameters<AdoptionRun['send']>[0]['args'];
const plan = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    return {
      userId: index + 3,
      name: `user ${index}`,
      accountId: index + 7,
      username: `user ${index}`,
      replaces: null,
    };
  });

/** Runs the command against a store that has this plan, and refuses the users with these ids. */
async function run(planned: readonly object[], { refusal = undefined as string | undefined, refused = [3] } = {}) {
  const sent: Args[] = [];
  const out: string[] = [];
  const err: string[] = [];
  const status = await adoptOpenlistUsers(
    { names: ['ann'] },
    {
      async send({ args }, output) {
        sent.push(args);
        const { users } = args;
        const results = users?.map(({ userId }) => ({ userId, problem: refused.includes(userId) ? 'taken' : null }));
        for (const line of results ?? planned) await output.out(JSON.stringify(line));
        return 0;
      },
      confirm: async () => refusal,
      output: { out: async (line) => void out.push(line), err: async (line) => void err.push(line) },
      signal: new AbortController().signal,
    },
  );
  return { status, sent, out, err };
}

it('names the users and accounts, and sends nothing that was not confirmed', async () => {
  const { status, sent, out, err } = await run(plan(2), { refusal: 'not confirmed' });
  expect(status).toBe(2);
  expect(sent).toEqual([{ names: ['ann'] }]);
  expect(out).toEqual([
    '  user  name in OpenList        account  name here               replaces user',
    expect.stringMatching(/^ +3 {2}user 0 +7 {2}user 0$/),
    expect.stringMatching(/^ +4 {2}user 1 +8 {2}user 1$/),
  ]);
  expect(err).toEqual([
    'They get the names and rights of these accounts and new passwords. Their second factors and passkeys in OpenList are removed',
    'not confirmed. Nothing was changed',
  ]);
});

it('sends the confirmed pairs in parts, and reports those that were refused', async () => {
  const { status, sent, out, err } = await run(plan(2_500));
  expect(status).toBe(1);
  expect(sent.map(({ users }) => users?.length)).toEqual([undefined, 2_000, 500]);
  expect(sent[1]!.users![1]).toEqual({ userId: 4, accountId: 8 });
  expect(out.at(-1)).toBe('adopted 2499 users');
  expect(err.at(-1)).toBe('user 3 was not adopted: taken');
});

it('asks nothing if there is nobody to adopt', async () => {
  expect(await run([])).toMatchObject({
    status: 0,
    out: [expect.stringContaining('OpenList has no user to adopt')],
    err: [],
  });
});
