import { afterAll, beforeAll, expect, it } from 'vitest';
import { adminOf, createAccount, type ListedAccount } from '../support/accounts.js';
import type { ApiClient } from '../support/api-client.js';
import { ReplicaSet } from '../support/mongo/replica-set.js';
import { ScaledService } from '../support/scaled-service.js';

const DATABASE = 'lists';
/** Longer than the longest pause between retries. */
const RECOVERY = 45_000;

let mongo: ReplicaSet;
let service: ScaledService;
let admin: ApiClient;
beforeAll(async () => {
  mongo = await ReplicaSet.start(1, { testCommands: true });
  service = await ScaledService.start(mongo.uri(DATABASE), { gateways: 1, workers: 0 });
  admin = await adminOf(service.api());
});
afterAll(async () => {
  await service?.dispose();
  await mongo?.stop();
});

it('an entry whose write failed after its commit is correct as soon as writes succeed', async () => {
  const account = await createAccount(admin, 'unwritten');
  // ExceededTimeLimit: an error of a shutdown would also clear the connections of the reads below.
  await fail('update', 'accounts_2', { errorCode: 262 });
  (await rename(account, 'written')).data();
  expect(await namesOf(account)).toEqual({ byId: 'written', listed: 'unwritten' });
  await recover();
  await expect.poll(() => namesOf(account), { timeout: RECOVERY }).toEqual({ byId: 'written', listed: 'written' });
});

it('a search that MongoDB ends because it takes too long is answered with 503, and says so', async () => {
  await fail('aggregate', 'accounts_2', { errorCode: 50 });
  const { status, outcome } = await admin.get('/api/admin/user/list?search=unwritten');
  expect([status, outcome]).toEqual([503, '503 the search took too long, try again later']);
  await recover();
});

it('an entry is also correct if its commit was stored although the client got 503', async () => {
  const account = await createAccount(admin, 'unconfirmed');
  await fail('insert', 'commits', { writeConcernError: { code: 64, errmsg: 'waiting for replication timed out' } });
  expect((await rename(account, 'stored')).status).toBe(503);
  await recover();
  await expect.poll(() => namesOf(account), { timeout: RECOVERY }).toEqual({ byId: 'stored', listed: 'stored' });
});

it('the log reports when a list is behind and when it has caught up', async () => {
  const gateway = service.gateway(0);
  expect(gateway.output()).toContain('a list may be stale, retrying: MongoDB is not available');
  await expect.poll(() => gateway.output(), { timeout: RECOVERY }).toContain('the lists are up to date again');
});

/** Makes one command fail on one collection only. */
const fail = (command: string, collection: string, failure: object) =>
  configure('alwaysOn', { failCommands: [command], namespace: `${DATABASE}.${collection}`, ...failure });
const recover = () => configure('off');
const configure = (mode: string, data?: object) =>
  mongo.node(0).command({ configureFailPoint: 'failCommand', mode, ...(data && { data }) });

const rename = ({ id }: ListedAccount, username: string) =>
  admin.post('/api/admin/user/update', { id, username, role: 0 });

async function namesOf({ id }: ListedAccount): Promise<{ byId: string; listed: string | undefined }> {
  const { username: byId } = (await admin.get(`/api/admin/user/get?id=${id}`)).data<ListedAccount>();
  const { content } = (await admin.get('/api/admin/user/list')).data<{ content: ListedAccount[] }>();
  return { byId, listed: content.find((listed) => listed.id === id)?.username };
}
