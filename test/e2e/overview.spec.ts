import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountNamed, adminOf, createAccount, newMember, signedInAs } from '../support/accounts.js';
import { newAccessToken } from '../support/access-tokens.js';
import { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { OpenListDouble } from '../support/openlist/openlist-double.js';
import { freshBroker } from '../support/rabbitmq/fresh-broker.js';
import { OtherService } from '../support/rabbitmq/other-service.js';
import { StandaloneProcess } from '../support/standalone-process.js';

type Parked = Readonly<{ kind: string; id: string; account_id: number | null; since: string | null; error: string }>;
type Overview = Readonly<{
  version: string;
  store: string;
  parts: readonly Readonly<{ name: string; state: string; detail: string }>[];
  readers: readonly Readonly<{ name: string; lag: number; parked: number }>[];
  logins: readonly Readonly<{ hour: string; accepted: number; refused: number }>[];
  openlist: unknown;
}>;

let app: StandaloneProcess;
let double: OpenListDouble;
let other: OtherService;
let api: ApiClient;
let admin: ApiClient;

beforeAll(async () => {
  const broker = await freshBroker();
  double = await OpenListDouble.start();
  app = await StandaloneProcess.start({
    // Requests of either thread must know what only the owner of the process has.
    KEYFOLD_THREADS: '2',
    KEYFOLD_RABBITMQ_URL: broker.url,
    KEYFOLD_OPENLIST_URL: double.url,
    KEYFOLD_OPENLIST_TOKEN: double.staticToken,
  });
  api = new ApiClient(app.baseUrl);
  admin = await adminOf(api);
  other = await OtherService.connect(broker.url);
});

afterAll(async () => {
  await other?.close();
  await app?.dispose();
  await double?.[Symbol.asyncDispose]();
});

const overview = async (client = admin) => (await client.get('/api/admin/overview')).data<Overview>();
const retry = (kind: string, id: string) => admin.post('/api/admin/parked/retry', { kind, id });
const parked = async (query = '') =>
  (await admin.get(`/api/admin/parked${query}`)).data<{
    content: Parked[];
    total: number;
    includes_messages: boolean;
  }>();

function change(file: string, sql: string): void {
  const database = new DatabaseSync(join(app.dataDir, file), { timeout: 5_000 });
  database.exec(sql);
  database.close();
}

describe('the overview', () => {
  it('shows the parts of the process, the readers of the feed and the state of OpenList', async () => {
    await eventually(async () =>
      expect(await overview()).toMatchObject({
        version: expect.stringMatching(/^Keyfold v\d/),
        store: 'sqlite',
        parts: ['threads', 'projector', 'store', 'openlist', 'rabbitmq'].map((name) => {
          return { name, state: 'up', detail: '' };
        }),
        readers: ['projector', 'relay', 'openlist'].map((name) => ({ name, lag: 0, parked: 0 })),
        openlist: { state: 'up', url: double.url, pending: 0, parked: 0 },
      }),
    );
  });

  it('counts accepted and refused logins of all threads by hour, also across a restart', async () => {
    const hours = async () => (await overview()).logins;
    const sums = async () =>
      (await hours()).reduce((sum, { accepted, refused }) => [sum[0]! + accepted, sum[1]! + refused], [0, 0]);
    await createAccount(admin, 'counted');
    // Starts with the login of the administrator.
    await eventually(async () => expect(await sums()).toEqual([1, 0]));
    for (let n = 0; n < 6; n++) {
      await signedInAs(api, 'counted');
      await api.from(`198.51.100.${n}`).post('/api/auth/login', { username: 'counted', password: 'wrong' });
    }
    await eventually(async () => expect(await sums()).toEqual([7, 6]));
    await signedInAs(api, 'counted');
    await app.restart();
    expect(await sums()).toEqual([8, 6]);
    const times = (await hours()).map(({ hour }) => Date.parse(hour));
    expect(times.slice(1).map((time, index) => time - times[index]!)).toEqual(Array(23).fill(3_600_000));
  });

  it('is shown to access tokens with the scope to audit, which retry nothing', async () => {
    const { client } = await newAccessToken(admin, ['accounts:audit']);
    expect(await overview(client)).toMatchObject({ store: 'sqlite' });
    expect((await client.get('/api/admin/parked')).outcome).toBe('200 success');
    const body = { kind: 'event', id: '1' };
    expect((await client.post('/api/admin/parked/retry', body)).code).toBe(403);
    const member = await newMember(admin, 'curious');
    for (const path of ['overview', 'parked'])
      expect((await member.get(`/api/admin/${path}`)).outcome).toBe('403 You are not an admin');
  });
});

describe('what is parked', () => {
  it('is a stream, which a retry releases if it can be folded', async () => {
    change('views.db', "INSERT INTO parked_streams VALUES ('account-2', '2', 1, 'unknown event', 1000)");
    const stream = { kind: 'projection', id: 'account-2', account_id: 2, error: 'unknown event' };
    expect((await parked()).content).toEqual([{ ...stream, since: '1970-01-01T00:00:01.000Z' }]);
    expect((await overview()).readers[0]).toMatchObject({ name: 'projector', parked: 1 });
    expect((await retry('projection', 'account-2')).data()).toEqual({ parked: true });
    expect(await parked('?kind=projection')).toEqual({ content: [], total: 0, includes_messages: false });
    expect((await retry('projection', 'account-2')).data()).toEqual({ parked: false });
  });

  it('is an account that OpenList cannot mirror, which the relay retries at once', async () => {
    const foreign = double.users.addForeign('taken');
    await createAccount(admin, 'taken');
    const { id } = await accountNamed(admin, 'taken');
    const ofAccount = { kind: 'openlist', id: String(id), account_id: id };
    await eventually(async () => expect((await parked('?kind=openlist')).content).toMatchObject([ofAccount]));
    expect((await overview()).openlist).toMatchObject({ parked: 1 });
    const openlist = new ApiClient(double.url).as(double.staticToken);
    (await openlist.post(`/api/admin/user/delete?id=${foreign.id}`)).data();
    expect((await retry('openlist', String(id))).data()).toEqual({ parked: true });
    await eventually(async () => expect((await parked('?kind=openlist')).total).toBe(0));
    expect((await retry('openlist', String(id))).data()).toEqual({ parked: false });
  });

  it('is a failed command of another service, which a retry resends', async () => {
    const use = { account: 1, fingerprint: `SHA256:${'x'.repeat(43)}`, time: new Date().toISOString() };
    const id = other.command('ssh-key.use', use);
    const message = { kind: 'message', id, account_id: null, since: expect.any(String) };
    const found = () => parked('?kind=message');
    await eventually(async () =>
      expect(await found()).toMatchObject({ content: [message], total: 1, includes_messages: true }),
    );
    const { since, error } = (await found()).content[0]!;
    expect(error).toMatch(/^ssh-key\.use: [a-z-]+$/);
    expect((await retry('message', 'another')).data()).toEqual({ parked: false });
    expect((await retry('message', id)).data()).toEqual({ parked: true });
    // It fails again.
    await eventually(async () => {
      const [again] = (await found()).content;
      expect(again).toMatchObject({ id, error });
      expect(again!.since).not.toBe(since);
    });
  });

  it('is listed in pages, by kind and age', async () => {
    const rows = [3, 1, 2].map((n) => `('account-${n}', '${n}', 1, '${'x'.repeat(1_200)}', ${n})`).join();
    change('views.db', `INSERT INTO parked_streams VALUES ${rows}`);
    // One after the other, because reading takes messages out of their queue.
    const pages = [await parked('?per_page=2'), await parked('?per_page=2&page=2'), await parked('?page=9')];
    expect(pages.map(({ content }) => content.map(({ kind, id }) => `${kind} ${id.slice(0, 9)}`))).toEqual([
      ['projection account-1', 'projection account-2'],
      ['projection account-3', expect.stringMatching(/^message /)],
      [],
    ]);
    expect(pages.map(({ total }) => total)).toEqual([4, 4, 4]);
    expect(pages[0]!.content[0]!.error).toHaveLength(1_000);
  });
});
