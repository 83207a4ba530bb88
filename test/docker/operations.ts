import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { timesLength } from '../support/test-length.js';
import { Audit } from './audit.js';
import type { Deployment } from './deployment.js';
import { SteadyTraffic, type Observed } from './steady-traffic.js';

/** How often gateways scale from three to six and back. */
const ROUNDS = timesLength(1);

/** Runs work while clients add, remove, log in and out. */
export function trafficOf(of: () => Deployment): (name: string, work: () => Promise<unknown>) => Promise<Observed> {
  let traffic: SteadyTraffic | undefined;
  afterAll(() => traffic?.close());

  /** Also compares what clients were acknowledged with what a subscriber received. */
  return async (name, work) => {
    traffic ??= await SteadyTraffic.begin(of().url, name);
    const audit = await Audit.begin(of(), name);
    onTestFinished(() => audit.close());
    // Logins before the audit began.
    traffic.takeAcknowledged();
    const began = performance.now();
    const observed = await traffic.during(work);
    const seconds = Math.round((performance.now() - began) / 1_000);
    const { answered, failures, violations } = observed;
    expect(violations).toEqual([]);
    expect(await traffic.check()).toEqual([]);
    expect(await audit.check(traffic.takeAcknowledged())).toEqual([]);
    console.log(
      `${name}: ${answered} requests answered, ${failures.length} failed, ${audit.count} events, ${seconds} s`,
    );
    return observed;
  };
}

/** Declares the tests of what an operator does while clients work. */
export function itNeedsNoPause(of: () => Deployment): void {
  const observe = trafficOf(of);
  const expectNobodyNotices = async (name: string, work: () => Promise<unknown>) => {
    const { answered, failures } = await observe(name, work);
    expect(failures).toEqual([]);
    expect(answered).toBeGreaterThan(100);
  };
  const tag = async () => /^KEYFOLD_TAG=(.*)$/m.exec(await readFile(join(of().folder, '.env'), 'utf8'))![1]!;
  /** Returns the tags of the images, `<none>` for those without. */
  const tags = async () => {
    const label = `label=com.docker.compose.project=${of().project}`;
    return (await of().expectSuccess('docker', 'image', 'ls', '--filter', label, '--format', '{{.Tag}}'))
      .trim()
      .split('\n');
  };
  const upgrade = (...words: string[]) => of().command('sh', 'deploy/upgrade.sh', ...words);

  it(
    `while three gateways and two workers become six and three, and the other way around (${ROUNDS} times)`,
    () =>
      expectNobodyNotices('scaling', async () => {
        for (let round = 0; round < ROUNDS; round++) {
          await of().up({ KEYFOLD_GATEWAYS: 6, KEYFOLD_WORKERS: 3 });
          expect(await of().containers('gateway')).toHaveLength(6);
          await of().up({ KEYFOLD_GATEWAYS: 3, KEYFOLD_WORKERS: 2 });
          expect(await of().containers('gateway')).toHaveLength(3);
        }
      }),
    300_000 * ROUNDS,
  );

  it('while upgrades replace all gateways and workers, also a single one, and while another goes back', async () => {
    const before = await tag();
    const images = async () => (await of().containers('gateway', 'worker')).map(({ Config }) => Config.Image);
    // A build of the same files would be the same image.
    await writeFile(join(of().folder, 'deploy/image/changed'), '');
    await expectNobodyNotices('upgrade', async () => expect(await upgrade()).toMatchObject({ code: 0 }));
    const after = await tag();
    expect(after).not.toBe(before);
    expect(await images()).toEqual(Array(5).fill(`keyfold:${after}`));
    expect(await of().exec('gateway', 'keyfold', 'account', 'show', 'admin')).toMatchObject({ code: 0 });
    await of().set({ KEYFOLD_GATEWAYS: 1, KEYFOLD_WORKERS: 1 });
    await expectNobodyNotices('downgrade', async () => expect(await upgrade(before)).toMatchObject({ code: 0 }));
    expect([await tag(), await images()]).toEqual([before, Array(2).fill(`keyfold:${before}`)]);
    await writeFile(join(of().folder, 'deploy/image/changed'), 'again');
    await expectNobodyNotices('single-gateway', async () => expect(await upgrade()).toMatchObject({ code: 0 }));
    expect((await tags()).toSorted()).toEqual([before, await tag()]);
  });

  it('when an upgrade is interrupted', async () => {
    const state = async () => [await tag(), await tags(), (await of().containers('gateway')).map(({ Id }) => Id)];
    const before = await state();
    const running = await tag();
    const other = (await tags()).find((each) => each !== running) ?? '';
    const interrupted = `sh deploy/upgrade.sh ${other} &
      until [ $(docker compose ps --quiet gateway | wc -l) -gt 1 ]; do sleep 0.1; done
      kill $!
      wait $!`;
    await expectNobodyNotices('interrupted', async () =>
      expect(await of().command('sh', '-c', interrupted)).toMatchObject({
        code: 1,
        output: expect.stringContaining(`upgrade: interrupted. Version ${running} keeps running.`),
      }),
    );
    expect(await state()).toEqual(before);
  });

  it('when an upgrade fails', async () => {
    const containers = async () => (await of().containers('gateway', 'worker')).map(({ Id }) => Id);
    const before = [await tag(), await containers(), await tags()];
    const [entry, script] = ['deploy/image/keyfold.mjs', 'deploy/upgrade.sh'].map((path) =>
      join(of().folder, path),
    ) as [string, string];
    const [good, patient] = [await readFile(entry, 'utf8'), await readFile(script, 'utf8')];
    await writeFile(script, patient.replace('--wait-timeout 180', '--wait-timeout 20'));
    await writeFile(
      entry,
      good.replace('\n', `\nif (process.argv[2] === 'gateway') throw new Error('a broken build');\n`),
    );
    await expectNobodyNotices('failed-upgrade', async () =>
      expect(await upgrade()).toMatchObject({
        code: 1,
        output: expect.stringMatching(/a broken build[^]*cannot start version .* Version \S+ keeps running/),
      }),
    );
    await writeFile(entry, good);
    expect(await upgrade('20010101-000000')).toMatchObject({
      code: 1,
      output: expect.stringContaining('there is no image keyfold:20010101-000000'),
    });
    const file = join(of().folder, 'deploy/Dockerfile');
    const small = 'RUN --mount=type=tmpfs,target=/full,size=1m dd if=/dev/zero of=/full/x bs=1M count=2';
    const dockerfile = await readFile(file, 'utf8');
    await writeFile(file, dockerfile.replace('COPY scripts scripts', `${small}\nCOPY scripts scripts`));
    expect(await upgrade()).toMatchObject({
      code: 1,
      output: expect.stringMatching(/No space left on device[^]*cannot build the image\. Version \S+ keeps running/),
    });
    await writeFile(file, dockerfile);
    expect([await tag(), await containers(), await tags()]).toEqual(before);
    await of().up({ KEYFOLD_GATEWAYS: 3, KEYFOLD_WORKERS: 2 });
  });
}

/** Declares the tests of killed containers. */
export function itLosesNothing(of: () => Deployment): void {
  const observe = trafficOf(of);

  it.each(['gateway', 'worker', 'mongo', 'rabbitmq', 'balancer'])(
    'when each container of %s is killed',
    async (service) => {
      const { answered } = await observe(`killed-${service}`, async () => {
        for (const victim of await of().containers(service)) await of().crash(victim);
        await of().untilBalanced();
      });
      expect(answered).toBeGreaterThan(0);
    },
  );
}
