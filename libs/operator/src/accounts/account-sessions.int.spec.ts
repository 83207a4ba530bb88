import { sessionStream } from '@keyfold/projections';
import { beforeEach, expect, it } from 'vitest';
import { openScene, type OperatorScene } from '../../testing/operator-scene.js';

let scene: OperatorScene;
beforeEach(async () => {
  scene = await openScene();
  await scene.register(7, 'ann');
  await scene.register(8, 'bob');
});

const sessions = (username: string, args: { evict?: string; evictAll?: boolean } = {}) =>
  scene.run({ command: 'account sessions', args: { username, evictAll: false, json: true, ...args } });
const listed = async (username: string) =>
  (await sessions(username)).out.map((line) => JSON.parse(line) as { id: string; works: boolean });

it('the list has the fields of the API, the latest login first', async () => {
  const startedAt = Math.floor(Date.now() / 1000) - 60;
  const times = { startedAt, expiresAt: startedAt + 3600 };
  const early = await scene.startSession(7, { ...times, factors: ['password', 'one-time-code'], client: 'a\nb' });
  const late = await scene.startSession(7);
  await scene.startSession(8);
  const [first, second] = await listed('ann');
  expect(first!.id).toBe(late);
  expect(second).toEqual({
    id: early,
    started: new Date(startedAt * 1000).toISOString(),
    lastActive: new Date(startedAt * 1000).toISOString(),
    expires: new Date((startedAt + 3600) * 1000).toISOString(),
    works: true,
    ip: '192.0.2.1',
    ua: 'a\nb',
    factors: ['password', 'one-time-code'],
  });
});

it('one session is evicted, and the others continue', async () => {
  const [one, other] = [await scene.startSession(7), await scene.startSession(7)];
  expect(await sessions('ann', { evict: one })).toEqual({
    status: 0,
    out: [`evicted the session ${one} of "ann"`],
    err: [],
  });
  expect((await listed('ann')).map(({ id }) => id)).toEqual([other]);
  const [{ state }] = await scene.ports.loader.load(sessionStream(one, 7));
  expect(state.status).toBe('ended');
});

it('a session of another account and an unknown one are refused', async () => {
  const ofBob = await scene.startSession(8);
  for (const evict of [ofBob, crypto.randomUUID(), 'no id'])
    expect(await sessions('ann', { evict })).toEqual({
      status: 1,
      out: [],
      err: ['the account has no such session. Nothing was changed'],
    });
  expect(await listed('bob')).toHaveLength(1);
});

it('all sessions of the account are evicted, and are listed as refused', async () => {
  await scene.startSession(7);
  await scene.startSession(8);
  expect(await sessions('ann', { evictAll: true })).toMatchObject({
    status: 0,
    out: ['evicted every session of "ann"'],
  });
  expect(await listed('ann')).toMatchObject([{ works: false }]);
  expect(await listed('bob')).toMatchObject([{ works: true }]);
});

it('an unknown account is refused', async () => {
  expect(await sessions('Ann')).toEqual({ status: 1, out: [], err: ['no account "Ann". Nothing was changed'] });
});
