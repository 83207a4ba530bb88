import { StoreUnavailable, type Commit } from '@keyfold/event-store';
import { SqliteFeedLeases } from '@keyfold/event-store/sqlite';
import { Projector, sshKeyRings, sshKeyRingStream } from '@keyfold/projections';
import { describe, expect, it, onTestFinished } from 'vitest';
import { addSshKey } from '../../testing/accounts.js';
import { EmbeddedFolder, EmbeddedService } from '../../testing/embedded-service.js';
import { HOUR, MINUTE, SECOND } from '../../testing/settable-clock.js';
import { SshKeyExpiry, type SshKeyExpiryParts } from './ssh-key-expiry.js';

/** Adds a key that expires after this time to the ring of an account. */
const addKey = (service: EmbeddedService, accountId: number, title: string, after: number) =>
  addSshKey(service, accountId, title, { expiresAt: service.clock.now() + after });

/** A worker on the service's store, whose clock is that of the store. Its projector holds every ring. */
function workerOf(service: EmbeddedService, parts: Partial<SshKeyExpiryParts> = {}): SshKeyExpiry {
  const { readModels, projection, clock, runner } = service;
  const [leases, projector] = [{ now: async () => clock.now() }, { holds: () => true }];
  return new SshKeyExpiry({ runner, readModels, projection, projector, leases, onError: () => undefined, ...parts });
}

/** Projects everything that was appended. */
async function project({ folder, projection }: EmbeddedService): Promise<void> {
  const fail = (error: unknown) => {
    throw error;
  };
  await new Projector(folder.store, projection, new SqliteFeedLeases(folder.views), fail).catchUp();
}

async function commitsOf({ store }: EmbeddedService): Promise<Commit[]> {
  const commits: Commit[] = [];
  for (let page: Commit[] = await store.readFeed(0, 0, 500); page.length > 0;) {
    commits.push(...page);
    page = await store.readFeed(0, page.at(-1)!.position, 500);
  }
  return commits;
}

/** Adds a key that expires after a minute to each of the first accounts, and projects them. */
async function addKeys(service: EmbeddedService, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, index) => addKey(service, index + 1, 'laptop', MINUTE)));
  await project(service);
}

/** Returns the account and the time of every `SshKeyExpired` in the store. */
const announced = async (service: EmbeddedService) =>
  (await commitsOf(service)).flatMap(({ partition, events }) =>
    events.filter(({ type }) => type === 'SshKeyExpired').map(({ data }) => [Number(partition), data['expiresAt']]),
  );

describe('an expired key', () => {
  it('is announced once, not before its expiry', async () => {
    const service = new EmbeddedService();
    const expiresAt = service.clock.now() + MINUTE;
    await addKey(service, 7, 'laptop', MINUTE);
    await project(service);
    const worker = workerOf(service);
    service.clock.advance(MINUTE - 1);
    await worker.announce();
    expect(await announced(service)).toEqual([]);
    service.clock.advance(1);
    for (const _ of [1, 2]) await worker.announce();
    expect(await announced(service)).toEqual([[7, expiresAt]]);
    expect((await commitsOf(service)).at(-1)).toMatchObject({ actor: 'expiry', stream: 'ssh-keys-7' });
  });

  it('leaves the list of what is due at once, before the projector reads its event', async () => {
    const service = new EmbeddedService();
    await addKey(service, 7, 'laptop', MINUTE);
    await addKey(service, 7, 'phone', HOUR);
    await project(service);
    service.clock.advance(MINUTE);
    await workerOf(service).announce();
    const due = await service.readModels.listDue(sshKeyRings, Number.MAX_SAFE_INTEGER, 10);
    expect(due.map(({ at }) => at)).toEqual([service.clock.now() - MINUTE + HOUR]);
  });

  it('is announced once by workers that try it at the same time', async () => {
    const folder = new EmbeddedFolder();
    const services = [1, 2, 3].map(() => new EmbeddedService(folder));
    for (let accountId = 1; accountId <= 120; accountId++) await addKey(services[0]!, accountId, 'laptop', MINUTE);
    await project(services[0]!);
    folder.clock.advance(MINUTE);
    await Promise.all(services.map((service) => workerOf(service).announce()));
    const accounts = (await announced(services[0]!)).map(([accountId]) => accountId);
    expect(accounts.toSorted((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 120 }, (_, i) => i + 1));
  });

  it('is announced although another ring cannot be read, and that is not repeated as an error', async () => {
    const service = new EmbeddedService();
    for (const accountId of [6, 7, 8]) await addKey(service, accountId, 'laptop', MINUTE);
    await project(service);
    const ref = sshKeyRingStream(7);
    const unknown = { ...(await commitsOf(service))[0]!, version: 2, stream: ref.stream, partition: '7' };
    const { position: _, holds: __, ...commit } = unknown as Commit & { holds?: unknown };
    const command = { id: 'unknown', type: 'Unknown', hash: '' };
    await service.store.append({ ...commit, command, events: [{ type: 'SshKeyArchived', v: 1, data: {} }] });
    service.clock.advance(MINUTE);
    await workerOf(service).announce();
    expect((await announced(service)).map(([accountId]) => accountId)).toEqual([6, 8]);
  });
});

it('each worker tries only the rings that its projector holds, on every page', async () => {
  const [service, count] = [new EmbeddedService(), 1_020];
  await addKeys(service, count);
  service.clock.advance(MINUTE);
  const tried: number[] = [];
  const holdsFirst = (partition: string) => Number(partition) <= 700;
  const workerThat = (holds: (partition: string) => boolean) => {
    const runner: SshKeyExpiryParts['runner'] = {
      run: (ref, command, context) => {
        expect(holds(ref.partition)).toBe(true);
        tried.push(Number(ref.partition));
        return service.runner.run(ref, command, context);
      },
    };
    return workerOf(service, { runner, projector: { holds } });
  };
  const workers = [workerThat(holdsFirst), workerThat((partition) => !holdsFirst(partition))];
  await Promise.all(workers.map((worker) => worker.announce()));
  const everyAccount = Array.from({ length: count }, (_, index) => index + 1);
  expect(tried.toSorted((a, b) => a - b)).toEqual(everyAccount);
  expect(await announced(service)).toHaveLength(count);
});

it('keys that expired while no worker ran are all announced, a batch at a time', async () => {
  let [running, most] = [0, 0];
  const count = 1_020;
  const service = new EmbeddedService();
  await addKeys(service, count);
  service.clock.advance(HOUR);
  const runner: SshKeyExpiryParts['runner'] = {
    run: async (ref, command, context) => {
      most = Math.max(most, ++running);
      const outcome = await service.runner.run(ref, command, context);
      running--;
      return outcome;
    },
  };
  await workerOf(service, { runner }).announce();
  expect(new Set((await announced(service)).map(([accountId]) => accountId)).size).toBe(count);
  expect(await announced(service)).toHaveLength(count);
  expect(most).toBeLessThanOrEqual(50);
  expect(await service.readModels.listDue(sshKeyRings, service.clock.now(), 10)).toEqual([]);
});

it('an outage is reported once, and what was due is announced after it', async () => {
  let down = true;
  const errors: unknown[] = [];
  const service = new EmbeddedService(new EmbeddedFolder(), (call) => {
    if (down && call === 'ReadModelStore.listDue') throw new StoreUnavailable('away');
  });
  await addKey(service, 7, 'laptop', SECOND);
  await project(service);
  service.clock.advance(MINUTE);
  const worker = workerOf(service, { onError: (error) => errors.push(error) });
  onTestFinished(() => worker.stop());
  worker.start();
  await expect.poll(() => errors.length, { timeout: 5_000 }).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(errors).toHaveLength(1);
  down = false;
  await expect.poll(() => announced(service), { timeout: 10_000 }).toHaveLength(1);
});
