import { describe, expect, it, onTestFinished } from 'vitest';
import { freshDatabaseUri } from '../../support/mongo/mongo-database.js';
import { ScaledService } from '../../support/scaled-service.js';
import { shownSetups } from '../../support/setup-code.js';

const PASSWORD = 'chosen in the browser';
const WRONG = { code: '0000-0000-0000-0000', password: PASSWORD };

/** Two gateways on an empty database. */
async function firstStarted() {
  const service = await ScaledService.start(freshDatabaseUri(), {
    workers: 0,
    env: { KEYFOLD_ADMIN_PASSWORD: undefined },
  });
  onTestFinished(() => service.dispose());
  const sides = [service.api(0), service.api(1)] as const;
  const [first, second] = await Promise.all(service.gateways.map((gateway) => shownSetups(gateway)));
  const code = first![0]!.setupCode;
  expect(second).toMatchObject([{ setupCode: code }]);
  const failTimes = async (count: number) => {
    const tries = Array.from({ length: count }, (_, index) => sides[index % 2]!.post('/api/auth/setup', WRONG));
    expect((await Promise.all(tries)).map((answer) => answer.code)).toEqual(tries.map(() => 403));
  };
  const open = async () =>
    Promise.all(sides.map(async (side) => (await side.get('/api/auth/setup')).data<{ open: boolean }>().open));
  return { sides, code, failTimes, open };
}

describe('two gateways', () => {
  it('show one code, count wrong ones together, and accept the right one once', async () => {
    const { sides, code, failTimes, open } = await firstStarted();
    await failTimes(9);
    expect(await open()).toEqual([true, true]);
    const answer = await sides[1].post('/api/auth/setup', { code, password: PASSWORD });
    const { token } = answer.data<{ token: string }>();
    expect((await sides[0].as(token).get('/api/me')).data()).toMatchObject({ username: 'admin' });
    expect(await open()).toEqual([false, false]);
    expect((await sides[0].post('/api/auth/setup', { code, password: 'another' })).code).toBe(403);
    expect((await sides[0].logIn('admin', PASSWORD)).code).toBe(200);
  });

  it('end the setup together after ten wrong codes', async () => {
    const { sides, code, failTimes, open } = await firstStarted();
    await failTimes(10);
    expect(await open()).toEqual([false, false]);
    for (const side of sides) expect((await side.post('/api/auth/setup', { code, password: PASSWORD })).code).toBe(403);
  });
});
