import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminOf, newMember, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { keyfold, startKeyfold } from '../support/cli.js';
import { keyLine } from '../support/key-line.js';
import type { ProcessEnv } from '../support/keyfold-process.js';
import { freshDatabaseUri } from '../support/mongo/mongo-database.js';
import { SCALED_SETTINGS } from '../support/scaled-process.js';
import { ScaledService } from '../support/scaled-service.js';
import { StandaloneProcess } from '../support/standalone-process.js';

const CLIENTS = 64;
const MEMBERS = ['ann', 'bea', 'cem', 'dan'];

type Service = Readonly<{ baseUrl: string; dispose(): Promise<void> }>;
/** `env`: the settings of commands on a store. */
type Store = Readonly<{ env: ProcessEnv; start(): Promise<Service> }>;
/** A kind of store: one for a service, and empty ones for restores. */
type Deployment = Readonly<{ source: Store; empty(): Store }>;

function onSqlite(folder: string): Deployment {
  const source = join(folder, 'data');
  const storeIn = (path: string) => {
    const env = { KEYFOLD_DATA_DIR: path };
    return { env, start: () => StandaloneProcess.start(env) };
  };
  const empty = () => {
    const path = mkdtempSync(join(folder, 'restored-'));
    for (const secret of ['sealing-key', 'token-secret']) copyFileSync(join(source, secret), join(path, secret));
    return storeIn(path);
  };
  mkdirSync(source, { mode: 0o700 });
  return { source: storeIn(source), empty };
}

function onMongodb(): Deployment {
  const store = () => {
    const uri = freshDatabaseUri();
    const { KEYFOLD_SEALING_KEY } = SCALED_SETTINGS;
    const env = { KEYFOLD_MONGODB_URI: uri, KEYFOLD_SEALING_KEY };
    return { env, start: () => ScaledService.start(uri, { gateways: 1, workers: 1 }) };
  };
  return { source: store(), empty: store };
}

/** Clients that add keys until they are stopped. `acknowledged`: the titles whose answers have arrived; `warm`: enough of them. */
function writing(members: readonly ApiClient[]) {
  const acknowledged: string[] = [];
  const { promise: warm, resolve } = Promise.withResolvers<void>();
  let isStopped = false;
  const client = async (number: number) => {
    for (let round = 0; !isStopped; round++) {
      const title = `key ${number}-${round}`;
      const answer = await members[number % members.length]!.post('/api/me/sshkey/add', {
        title,
        key: keyLine(title).line,
      });
      answer.data();
      if (acknowledged.push(title) === 2 * CLIENTS) resolve();
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  const stop = () => {
    isStopped = true;
    return clients;
  };
  return { acknowledged, warm, stop };
}

async function titlesOf(api: ApiClient): Promise<string[]> {
  const titles: string[] = [];
  for (const name of MEMBERS) {
    const member = await signedInAs(api, name);
    const { content } = (await member.get('/api/me/sshkey/list')).data<{ content: { title: string }[] }>();
    titles.push(...content.map(({ title }) => title));
  }
  return titles;
}

describe.each([
  ['the embedded store', onSqlite],
  ['MongoDB', onMongodb],
])('a backup of %s', (_, deploy) => {
  const folder = mkdtempSync(join(tmpdir(), 'keyfold-'));
  const backup = join(folder, 'backup');
  const { source, empty } = deploy(folder);
  let service: Service;
  let admin: ApiClient;
  let acknowledged: readonly string[];
  let token: string;
  beforeAll(async () => {
    service = await source.start();
    admin = await adminOf(new ApiClient(service.baseUrl));
    const members: ApiClient[] = [];
    for (const name of MEMBERS) members.push(await newMember(admin, name));
    token = members[0]!.token;
    const traffic = writing(members);
    await traffic.warm;
    acknowledged = [...traffic.acknowledged];
    const made = await keyfold(source.env, 'backup', backup);
    await traffic.stop();
    expect(made, made.err).toMatchObject({ status: 0 });
  });
  afterAll(async () => {
    await service?.dispose();
    rmSync(folder, { recursive: true });
  });

  it('is known to the store, for the report of an erasure', async () => {
    const { out } = await keyfold(source.env, 'events', 'show', 'erasures');
    expect(out).toContain(`folder: ${JSON.stringify(backup)}`);
  });

  it('beside writing clients restores everything that was acknowledged before, and lets everybody in', async () => {
    const target = empty();
    const restored = await keyfold(target.env, 'restore', backup);
    expect(restored, restored.err).toMatchObject({ status: 0 });
    expect(restored.out).toContain('no problems\nthe store is restored');
    const again = await target.start();
    try {
      const api = new ApiClient(again.baseUrl);
      expect(await titlesOf(api)).toEqual(expect.arrayContaining([...acknowledged]));
      expect((await api.as(token).get('/api/me')).data()).toMatchObject({ username: MEMBERS[0] });
      expect(await keyfold(target.env, 'verify')).toMatchObject({ status: 0 });
    } finally {
      await again.dispose();
    }
  });

  it.each(['writing the commits', 'filling the lists', 'verifying the store'])(
    'that is killed while it is restored, %s, leaves no store, and is restored by the next run',
    async (step) => {
      const target = empty();
      const { child, seen, result } = startKeyfold(target.env, 'restore', backup);
      await seen(step);
      child.kill('SIGKILL');
      await result;
      const verified = await keyfold(target.env, 'verify');
      expect([verified.status, verified.err]).toEqual([
        expect.toSatisfy((status: number) => status !== 0),
        expect.stringMatching(/no database in|has not finished filling it/),
      ]);
      await expect(target.start()).rejects.toThrow(/has not finished|exited|migrate/);
      const restored = await keyfold(target.env, 'restore', backup);
      expect(restored, restored.err).toMatchObject({ status: 0 });
      expect(restored.out).toContain('no problems\nthe store is restored');
    },
  );

  it('is refused by a store that is not empty', async () => {
    const { status, err } = await keyfold(source.env, 'restore', backup);
    expect([status, err]).toEqual([expect.toSatisfy((code: number) => code !== 0), expect.stringMatching(/empty/)]);
    expect((await admin.get('/api/me')).data()).toMatchObject({ username: 'admin' });
  });

  it('that is killed while it is written leaves what it was before', async () => {
    const copy = join(folder, 'killed');
    // The progress is the first output, and the last one before the manifest.
    for (const progress of ['%', '100 %', '%']) {
      const { child, seen, result } = startKeyfold(source.env, 'backup', copy);
      await seen(progress).catch(() => undefined);
      child.kill('SIGKILL');
      await result;
      const isWhole = existsSync(join(copy, 'manifest.json'));
      expect((await keyfold(source.env, 'restore', copy, '--dry-run')).status).toBe(isWhole ? 0 : 2);
    }
    expect(await keyfold(source.env, 'backup', copy)).toMatchObject({ status: 0 });
    expect(readdirSync(copy).filter((name) => name.endsWith('.part'))).toEqual([]);
    expect(await keyfold(source.env, 'restore', copy, '--dry-run')).toMatchObject({ status: 0 });
  });
});
