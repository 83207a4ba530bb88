import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AccountClient } from '../support/account-client.js';
import { ADMIN_PASSWORD } from '../support/accounts.js';
import { freshDatabaseUri } from '../support/mongo/mongo-database.js';
import { ScaledService } from '../support/scaled-service.js';
import { IS_LONG, SEED } from '../support/test-length.js';
import { KeyTraffic, type Task } from './key-traffic.js';
import { seededRandom } from './seeded-random.js';
import { expectWholeStore } from './whole-store.js';

const IN_FLIGHT = 32;
const ACCOUNTS = 20;
/** Answers of the first gateway before it is frozen, with further requests in flight. */
const BEFORE = 100;
/** Longer than any operation on the database may take, shorter than a client waits for an answer. */
const FROZEN_MS = IS_LONG ? 20_000 : 10_000;
/** Most adds at the other gateway meanwhile. An account may have 1,000 keys. */
const MEANWHILE = ACCOUNTS * 900;
/** The aim is 2 s; a busy machine may take longer, but less than a wait for the frozen gateway. */
const LONGEST_MS = 8_000;

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
  // Both before the first answer: a plan takes over the unanswered adds.
  const [first, second] = [traffic.plan(BEFORE + IN_FLIGHT), traffic.plan(MEANWHILE)];
  const unfinished = run(first, frozen, (answers) => {
    if (answers !== BEFORE) return;
    process.kill(pid, 'SIGSTOP');
    stopped.resolve();
  });
  const ended = unfinished.then(() => Promise.reject(new Error(`fewer than ${BEFORE} requests were answered`)));
  await Promise.race([stopped.promise, ended]);

  const end = performance.now() + FROZEN_MS;
  let [changes, unanswered, longest] = [0, 0, 0];
  const meanwhile = second.map((task): Task => async (client) => {
    const start = performance.now();
    if (start > end) return false;
    const isAnswered = await task(client);
    longest = Math.max(longest, performance.now() - start);
    if (isAnswered) changes++;
    else unanswered++;
    return isAnswered;
  });
  await Promise.all([run(meanwhile, other), sleep(FROZEN_MS)]);
  process.kill(pid, 'SIGCONT');
  console.log(`the longest of ${changes} changes took ${Math.round(longest)} ms`);
  expect(longest).toBeLessThan(LONGEST_MS);
  expect(unanswered).toBe(0);

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
