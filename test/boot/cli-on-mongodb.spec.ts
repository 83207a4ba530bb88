import { collectionOf, connectOptions, MongoFeedLeases } from '@keyfold/event-store/mongo';
import { relayName } from '@keyfold/messaging';
import mongoose, { type Connection } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminOf, createAccount } from '../support/accounts.js';
import { keyfoldHere } from '../support/cli-in-process.js';
import { keyfold, startKeyfold } from '../support/cli.js';
import { eventually } from '../support/eventually.js';
import { newKeyLine } from '../support/key-line.js';
import { freshDatabaseUri } from '../support/mongo/mongo-database.js';
import { ScaledService } from '../support/scaled-service.js';
import { inMilliseconds } from '../support/ssh-key-routes.js';

let uri: string;
let connection: Connection;
let service: ScaledService;
const settings = () => ({ KEYFOLD_MONGODB_URI: uri, KEYFOLD_LEASE_SECONDS: '2' });
const run = (...args: string[]) => keyfoldHere(settings(), ...args);
const collection = (name: string) => collectionOf<{ _id: string }>(connection, name);

/** Removes documents and checkpoints, as if the schema number of every model had been raised. */
async function forgetReadModels(): Promise<void> {
  for (const name of [
    'accounts_2',
    'sessions_1',
    'ssh_key_owners_1',
    'ssh_key_rings_1',
    'ssh_key_uses_1',
    'access_tokens_1',
    'app_passwords_1',
    'site_settings_1',
    'feed_leases',
  ])
    await collection(name).deleteMany({});
}

beforeAll(async () => {
  uri = freshDatabaseUri();
  connection = await mongoose.createConnection(uri, connectOptions).asPromise();
  service = await ScaledService.create(uri, { gateways: 1, workers: 1, env: { KEYFOLD_LEASE_SECONDS: '2' } });
});
afterAll(async () => {
  await service?.dispose();
  await connection?.close();
});

it('an unprepared database is reported, and migrate prepares it any number of times', async () => {
  expect(await run('verify')).toMatchObject({ status: 1, err: expect.stringContaining('Run "keyfold migrate"') });
  for (const _ of [1, 2])
    expect(await keyfold(settings(), 'migrate')).toEqual({
      status: 0,
      out: 'the read models are up to date with 0 commits\n',
      err: '',
    });
  expect(await keyfold(settings(), 'verify')).toMatchObject({ status: 0 });
  await service.startAll();
});

describe('beside gateway and worker', () => {
  it('verify finds no problem while accounts are created', async () => {
    const admin = await adminOf(service.api());
    let made = 0;
    const traffic = (async () => {
      for (; made < 40; made++) await createAccount(admin, `account ${made}`);
    })();
    const results: unknown[] = [];
    do results.push(await run('verify'));
    while (made < 40);
    await traffic;
    expect(results).toEqual(results.map(() => expect.objectContaining({ status: 0 })));
  });

  it('verify finds a wrong document, and a rebuild repairs it', async () => {
    await collection('accounts_2').updateOne({ _id: 'account-2' }, { $set: { state: '{}', place: 9_999 } });
    expect(await run('verify')).toMatchObject({
      status: 1,
      out: expect.stringContaining('the document of account-2 differs from its stream at version 1\n'),
    });
    expect(await run('projections', 'rebuild')).toMatchObject({ status: 0, err: '' });
    expect(await run('verify')).toMatchObject({ status: 0 });
  });

  it('status shows 64 slots, all with an owner', async () => {
    const { status, out } = await run('projections', 'status', '--json');
    const { total, slots } = JSON.parse(out) as { total: object; slots: { owner: string | null }[] };
    expect(status).toBe(0);
    expect(total).toMatchObject({ lag: 0, owners: 1 });
    expect(slots.filter(({ owner }) => owner !== null)).toHaveLength(64);
  });

  it('feed status says what to check while no relay has a lease', async () => {
    const problem = expect.stringMatching(
      /^no relay has a lease\. Check that workers run with KEYFOLD_RABBITMQ_URL set\./,
    );
    expect(JSON.parse((await run('feed', 'status', '--json')).out)).toMatchObject({ total: { owners: 0 }, problem });
    expect((await run('feed', 'status')).out).toContain('\nProblem: no relay has a lease. ');
    const leases = new MongoFeedLeases(connection);
    const taken = await leases.take(relayName, 'a relay', [0], 60_000);
    const { out } = await run('feed', 'status', '--json');
    expect(JSON.parse(out)).toMatchObject({ total: { owners: 1 }, problem: null });
    await leases.release(taken);
  });

  it('compact requires the retention setting', async () => {
    const refused = await run('compact', '--dry-run');
    expect(refused).toMatchObject({ status: 78, out: '' });
    expect(refused.err).toContain('KEYFOLD_SESSION_DAYS: is required to compact on MongoDB');
    expect(await keyfold({ ...settings(), KEYFOLD_SESSION_DAYS: '90' }, 'compact')).toMatchObject({
      status: 0,
      out: expect.stringContaining('compacted 0 sessions'),
    });
  });
});

describe('without a worker', () => {
  it('verify reports that there is no projector, and migrate stands in for it while the gateway runs', async () => {
    await Promise.all(service.workers.map((worker) => worker.stop()));
    await forgetReadModels();
    expect(await run('verify')).toMatchObject({
      status: 0,
      out: expect.stringMatching(/^\d+ commits of \d+ streams and 0 documents: no problems\n$/),
      err: expect.stringMatching(
        /no projector is running, and the read models lack \d+ commits\. Start a worker or run "keyfold migrate"\n$/,
      ),
    });
    const following = startKeyfold(settings(), 'migrate', '--follow');
    await following.seen('following the feed until interrupted');
    const admin = await adminOf(service.api());
    for (let made = 0; made < 5; made++) await createAccount(admin, `late account ${made}`);
    expect(await run('verify')).toMatchObject({ status: 0 });
    const brief = { title: 'brief', key: newKeyLine().line, expires: inMilliseconds(2_000) };
    (await admin.post('/api/me/sshkey/add', brief)).data();
    await eventually(async () => expect((await run('events', 'show', 'ssh-keys-1')).out).toContain('SshKeyExpired'));
    following.child.kill('SIGINT');
    expect(await following.result).toMatchObject({ status: 0 });
  });
});
