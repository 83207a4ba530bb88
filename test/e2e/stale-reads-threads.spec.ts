import { afterAll, beforeAll, it } from 'vitest';
import { AccountClient } from '../support/account-client.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import type { ClientPair } from '../support/stale-reads/paired-reads.js';
import { Members, MEMBERS } from '../support/stale-reads/members.js';
import { timesLength } from '../support/test-length.js';

const CHANGES = timesLength(1_000);

let app: StandaloneProcess;
let clients: ClientPair;
let members: Members;

beforeAll(async () => {
  app = await StandaloneProcess.start({ KEYFOLD_THREADS: '4' });
  // Each connection stays with one thread, and three of four reads use another thread than their change.
  clients = [new AccountClient(app.baseUrl, MEMBERS), new AccountClient(app.baseUrl, MEMBERS)];
  members = await Members.create(clients);
});

afterAll(async () => {
  clients?.forEach((client) => client.close());
  await app?.dispose();
});

it(`reads by id are never stale over ${CHANGES} changes in one thread that are read in another`, () =>
  members.expectNothingStale(CHANGES));
