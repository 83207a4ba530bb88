import { afterAll, beforeAll, expect, it } from 'vitest';
import { adminOf, createAccount } from '../support/accounts.js';
import { freshDatabaseUri } from '../support/mongo/mongo-database.js';
import { StoreInspection } from '../support/scaled-check.js';
import { migrate, ScaledService } from '../support/scaled-service.js';

/** The longest time without a worker for a slot whose worker was killed, with the default lease. */
const TAKE_OVER_MS = 15_000;
/** For changes that do not wait for an expired lease. */
const QUICK_MS = 24_000;
/** Enough for streams in most slots. */
const ACCOUNTS = 60;

let service: ScaledService;
let inspection: StoreInspection;
/** The owner name of the first worker. */
let first: string;
beforeAll(async () => {
  service = await ScaledService.create(freshDatabaseUri(), { gateways: 1, workers: 3 });
  await migrate(service.uri);
  await service.workers[0]!.start();
  inspection = await StoreInspection.open(service.uri);
  first = [...(await inspection.sharesOfWorkers()).keys()].join();
  await service.startAll();
});
afterAll(async () => {
  await service?.dispose();
  await inspection?.close();
});

/** Returns the number of slots of each worker, in ascending order. */
const shares = async () => [...(await inspection.sharesOfWorkers()).values()].toSorted((a, b) => a - b);

async function expectShares(due: number[], timeout: number): Promise<void> {
  await expect.poll(shares, { timeout, interval: 100 }).toEqual(due);
}

it('three workers share the 64 slots evenly', () => expectShares([21, 21, 22], QUICK_MS));

it('other workers read the slots of a killed worker within 15 s, even if it had just renewed its leases', async () => {
  const admin = await adminOf(service.api());
  await untilRenewed(first);
  await service.workers[0]!.kill();
  const killedAt = performance.now();
  const left = () => TAKE_OVER_MS - (performance.now() - killedAt);
  const added = Promise.all(Array.from({ length: ACCOUNTS }, (_, index) => createAccount(admin, `member-${index}`)));
  await expectShares([32, 32], left());
  await added;
  await inspection.untilProjected(left());
});

it('a new worker gets its share', async () => {
  await service.workers[0]!.start();
  await expectShares([21, 21, 22], TAKE_OVER_MS);
});

it('a worker hands over its slots at shutdown', async () => {
  expect(await service.workers[1]!.stop()).toBe(0);
  await expectShares([32, 32], QUICK_MS);
  expect(await inspection.verify()).toMatchObject({ problems: [], behind: 0 });
});

/** Waits for the moment at which a worker renews its leases. */
async function untilRenewed(owner: string): Promise<void> {
  const leases = inspection.connection.collection('feed_leases');
  const endOfLease = async () => Number((await leases.findOne({ owner }))?.['until']);
  const before = await endOfLease();
  await expect.poll(endOfLease, { timeout: TAKE_OVER_MS, interval: 20 }).toBeGreaterThan(before);
}
