import { InMemoryStreamQueue } from '@keyfold/application';
import { Relay } from '@keyfold/messaging';
import { mirrorOf } from '@keyfold/wiring';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../../../test/support/eventually.js';
import { OpenListDouble } from '../../../../test/support/openlist/openlist-double.js';
import { operatorStores, type OperatorScene } from '../../../operator/testing/operator-scene.js';
import { OpenListApi } from '../api/openlist-api.js';
import { OpenListOutlet } from './openlist-outlet.js';

describe.each(operatorStores)('a relay from the store in %s to OpenList', (_, open) => {
  let scene: OperatorScene;
  let double: OpenListDouble;
  beforeEach(async () => {
    scene = await open();
    double = await OpenListDouble.start();
    onTestFinished(() => double[Symbol.asyncDispose]());
  });

  /** Starts a relay as a process would. */
  async function newRelay() {
    const { ports } = scene;
    const api = await OpenListApi.open({ url: double.url, token: double.staticToken });
    const queue = new InMemoryStreamQueue();
    const [runner, sealer] = [await ports.runner(), await ports.sealer()];
    const mirror = mirrorOf(api, ports.loader, runner, sealer, queue, ports, ports.clock);
    const outlet = new OpenListOutlet(mirror, api.availability);
    const relay = new Relay(ports.feed, outlet, ports.leases, ports.parkedMirrors, {
      onError: (error) => expect.fail(String(error)),
      onParked: () => undefined,
      leaseMilliseconds: 3_000,
    });
    relay.start();
    let running = true;
    const stop = async () => {
      if (!running) return;
      running = false;
      await relay.stop();
      await api.close();
    };
    onTestFinished(stop);
    return { relay, outlet, stop };
  }

  const usernames = () =>
    double.users.all
      .slice(2)
      .map(({ username }) => username)
      .toSorted();
  const isDone = async ({ relay }: Awaited<ReturnType<typeof newRelay>>) =>
    eventually(async () => expect((await relay.lag()).pendingCommits).toBe(0));

  it('carries accounts, keys and deletions, and a successor continues after it', async () => {
    await scene.register(7, 'ann');
    await scene.register(8, 'bea');
    const running = await newRelay();
    await eventually(() => expect(usernames()).toEqual(['ann', 'bea']));
    await scene.addSshKey(7, 'laptop');
    await eventually(() => expect(double.keys.of(double.users.named('ann')!.id)).toHaveLength(1));
    await isDone(running);
    expect(await scene.ports.leases.progress('openlist')).not.toEqual([]);
    await running.stop();

    await scene.change(8, { type: 'DeleteAccount' });
    await newRelay();
    await eventually(() => expect(usernames()).toEqual(['ann']));
  });

  it('parks nothing while OpenList is down, and carries everything once it is back', async () => {
    const running = await newRelay();
    await double.setFault('refuse');
    for (let account = 10; account < 20; account++) await scene.register(account, `user ${account}`);
    await eventually(() => expect(running.outlet.isReady).toBe(false));
    await scene.register(20, 'user 20');
    await double.setFault(undefined);
    await eventually(() => expect(usernames()).toHaveLength(11));
    await isDone(running);
    expect(await scene.ports.parkedMirrors.all()).toEqual([]);
  });

  it('parks an account whose name is taken, and a successor carries it once the name is free', async () => {
    const foreign = double.users.addForeign('ann');
    await scene.register(7, 'ann');
    await scene.register(8, 'bea');
    const running = await newRelay();
    await eventually(() => expect(running.relay.status().parked).toBe(1));
    await eventually(() => expect(usernames()).toEqual(['ann', 'bea']));
    const [record] = await scene.ports.parkedMirrors.all();
    expect(record).toMatchObject({ partition: '7', error: expect.stringContaining('keyfold openlist adopt') });
    expect(record!.error).not.toContain('ann');
    await isDone(running);
    await running.stop();

    const renamed = { ...foreign, username: 'somebody', password: '' };
    const headers = { authorization: double.staticToken };
    await fetch(`${double.url}/api/admin/user/update`, { method: 'POST', headers, body: JSON.stringify(renamed) });
    await newRelay();
    await eventually(() => expect(usernames()).toEqual(['ann', 'bea', 'somebody']));
    await eventually(async () => expect(await scene.ports.parkedMirrors.all()).toEqual([]));
  });
});
