import { afterAll, beforeAll, expect, it } from 'vitest';
import { AccountClient } from '../support/account-client.js';
import { ADMIN_PASSWORD } from '../support/accounts.js';
import { freshDatabaseUri } from '../support/mongo/mongo-database.js';
import { ScaledService } from '../support/scaled-service.js';
import { SEED, timesLength } from '../support/test-length.js';
import { KeyTraffic, type Task } from './key-traffic.js';
import { seededRandom } from './seeded-random.js';
import { expectWholeStore } from './whole-store.js';

const IN_FLIGHT = 32;
const ACCOUNTS = 20;
/** Answers of the first gateway before it is frozen, with further requests in flight. */
const BEFORE = 100;
/** Adds at the other gateway while the first one is frozen. */
const MEANWHILE = timesLength(400);
/** No lease or timeout is as short, so nothing that the frozen gateway holds was waited for. */
const LONGEST_MS = 5_000;

let service: ScaledService;
let clients: AccountClient[];
beforeAll(async () => {
  service = await ScaledService.start(freshDatabaseUri(), { workers: 1 });
  clients = service.urls.map((url) => new AccountClient(url, IN_FLIGHT));
});
afterAll(async () => {
  clients?.forEach((client) => client.close());
  await service?.dispose();
});

it('a frozen gateway delays no change at another one, and goes on without harm', async () => {
  const [frozen, other] = clients as [AccountClient, AccountClient];
  const traffic = new KeyTraffic(seededRandom(SEED), ACCOUNTS);
  await traffic.begin(other, ADMIN_PASSWORD);
  const { pid } = service.gateway(0);
  const stopped = Promise.withResolvers<void>();
  const unfinished = run(traffic.plan(BEFORE + IN_FLIGHT), frozen, (answers) => {
    if (answers !== BEFORE) return;
    process.kill(pid, 'SIGSTOP');
    stopped.resolve();
  });
  await stopped.promise;

  let longest = 0;
  const meanwhile = traffic.plan(MEANWHILE).map((task): Task => async (client) => {
    const start = performance.now();
    const isAnswered = await task(client);
    longest = Math.max(longest, performance.now() - start);
    return isAnswered;
  });
  await run(meanwhile, other);
  process.kill(pid, 'SIGCONT');
  console.log(`the longest change took ${Math.round(longest)} ms`);
  expect(longest).toBeLessThan(LONGEST_MS);

  await unfinished;
  for (const client of clients) expect([...(await traffic.check(client)), ...client.ignored]).toEqual([]);
  await expectWholeStore(service.uri);
});

/** Runs tasks at a client in parallel, and calls `onAnswer` with the number of answers so far. */
async function run(tasks: readonly Task[], client: AccountClient, onAnswer = (_answers: number) => {}): Promise<void> {
  const waiting = tasks.values();
  let answers = 0;
  const work = async () => {
    for (const task of waiting) if (await task(client)) onAnswer(++answers);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
}
