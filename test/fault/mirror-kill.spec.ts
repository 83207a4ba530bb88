import { openlistRelayName } from '@keyfold/messaging';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { keyfold } from '../support/cli.js';
import { freshDatabaseUri } from '../support/mongo/mongo-database.js';
import { OpenListDouble } from '../support/openlist/openlist-double.js';
import { StoreInspection } from '../support/scaled-check.js';
import { SCALED_SETTINGS } from '../support/scaled-process.js';
import { ScaledService } from '../support/scaled-service.js';
import { SEED, timesLength } from '../support/test-length.js';
import { MirrorTraffic } from './mirror-traffic.js';
import { seededRandom } from './seeded-random.js';

const ACCOUNTS = Math.min(timesLength(100), 1_000);
const KILLS = timesLength(2);
/** Changes between two kills. */
const CHANGES = 100;
/** Longer than an account waits for the turn of a killed process. */
const RECOVERY_MS = 120_000;

let double: OpenListDouble;
let service: ScaledService;
let env: Record<string, string>;
beforeAll(async () => {
  double = await OpenListDouble.start();
  env = { KEYFOLD_OPENLIST_URL: double.url, KEYFOLD_OPENLIST_TOKEN: double.staticToken };
  service = await ScaledService.start(freshDatabaseUri(), {
    gateways: 1,
    workers: 1,
    env: { ...env, KEYFOLD_LEASE_SECONDS: '2', KEYFOLD_LOG_LEVEL: 'warn' },
  });
});
afterAll(async () => {
  await service?.dispose();
  await double?.[Symbol.asyncDispose]();
});

it(`mirrors equal their accounts after ${KILLS} kills of the gateway and the worker while ${ACCOUNTS} accounts change (seed ${SEED})`, async () => {
  const random = seededRandom(SEED);
  const traffic = await MirrorTraffic.create(service.api(), ACCOUNTS, random);
  traffic.start();
  for (let kill = 1; kill <= KILLS; kill++) {
    const target = traffic.count.changes + CHANGES * (0.5 + random());
    await vi.waitFor(() => expect(traffic.count.changes).toBeGreaterThan(target), { timeout: 60_000 });
    await Promise.all(service.processes.map((each) => each.kill()));
    await service.startAll();
  }
  await traffic.stop();
  const began = performance.now();
  await untilCarried();
  const recovery = ((performance.now() - began) / 1_000).toFixed(1);
  const { changes, forwarded } = traffic.count;
  console.log(
    `${KILLS} kills: ${changes} changes, ${forwarded} forwarded requests, all carried ${recovery} s after the last`,
  );
  const { KEYFOLD_SEALING_KEY } = SCALED_SETTINGS;
  const verified = await keyfold(
    { ...env, KEYFOLD_MONGODB_URI: service.uri, KEYFOLD_SEALING_KEY },
    'openlist',
    'verify',
  );
  expect(verified, service.output()).toMatchObject({
    status: 0,
    out: `${ACCOUNTS} mirrors with 0 SSH keys: no differences\n`,
  });
  expect(traffic.refusals).toEqual([]);
  expect(double.tokens.wrongLogins).toBe(0);
});

async function untilCarried(): Promise<void> {
  const inspection = await StoreInspection.open(service.uri);
  try {
    await inspection.untilRead(openlistRelayName, RECOVERY_MS);
  } finally {
    await inspection.close();
  }
}
