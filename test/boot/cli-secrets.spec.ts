import { openEmbeddedStore, openSharedStore } from '@keyfold/operator';
import { accountStream } from '@keyfold/projections';
import { parseSealingKeys, Sealer } from '@keyfold/security';
import { randomBytes, randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registered } from '../../libs/domain/testing/account.events.js';
import { adminOf, newAddress, newMember } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { startKeyfold } from '../support/cli.js';
import { freshDatabaseUri } from '../support/mongo/mongo-database.js';
import { ScaledService } from '../support/scaled-service.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { timesLength } from '../support/test-length.js';
import { codeNow, enrol } from '../support/two-factor.js';

const OLD = `old:${randomBytes(32).toString('base64')}`;
const NEW = `new:${randomBytes(32).toString('base64')}`;
/** Enough for killing a command long before its end. */
const ACCOUNTS = timesLength(1_500);

type Opened = Awaited<ReturnType<typeof openSharedStore>>;
type Running = ReturnType<typeof startKeyfold>;

interface Scene {
  /** Starts the service if necessary and returns a client. */
  api(): Promise<ApiClient>;
  /** Restarts the service with these keys; no other process has others. */
  restart(keys: string): Promise<void>;
  /** Starts a subcommand of `secrets`. */
  begin(command: string, ...options: string[]): Promise<Running>;
  /** Kills the process that runs the command. */
  kill(running: Running): Promise<void>;
  /** Opens the store in this process. */
  open(): Promise<Opened>;
  /** Recreates the documents from the log. */
  rebuild(): Promise<void>;
  dispose(): Promise<void>;
}

async function sqlite(): Promise<Scene> {
  const app = await StandaloneProcess.start({ KEYFOLD_SEALING_KEY: OLD });
  const started = async () => void (app.isRunning || (await app.restart()));
  const stopped = async () => void (app.isRunning && (await app.stop()));
  return {
    async api() {
      await started();
      return new ApiClient(app.baseUrl);
    },
    restart: (keys) => app.restart({ KEYFOLD_SEALING_KEY: keys }),
    async begin(command, ...options) {
      await started();
      return startKeyfold({ KEYFOLD_DATA_DIR: app.dataDir }, 'secrets', command, ...options);
    },
    async kill(running) {
      await app.kill();
      expect(await running.result).toMatchObject({ status: 1, err: expect.stringContaining('Run the command again') });
    },
    async open() {
      await stopped();
      return openEmbeddedStore({ folder: app.dataDir, sessionDays: 90 });
    },
    async rebuild() {
      await stopped();
      for (const end of ['', '-wal', '-shm']) rmSync(join(app.dataDir, `views.db${end}`), { force: true });
    },
    dispose: () => app.dispose(),
  };
}

async function mongodb(): Promise<Scene> {
  const uri = freshDatabaseUri();
  const service = await ScaledService.start(uri, { gateways: 1, workers: 1, env: { KEYFOLD_SEALING_KEY: OLD } });
  let keys = OLD;
  const run = (...args: string[]) => startKeyfold({ KEYFOLD_MONGODB_URI: uri, KEYFOLD_SEALING_KEY: keys }, ...args);
  return {
    api: async () => service.api(),
    async restart(others) {
      keys = others;
      await service.restart({ KEYFOLD_SEALING_KEY: others });
    },
    begin: async (command, ...options) => run('secrets', command, ...options),
    async kill({ child, result }) {
      child.kill('SIGKILL');
      expect((await result).status).toBe(null);
    },
    open: () => openSharedStore(uri, { prepare: false, leaseMilliseconds: 10_000, sessionDays: 90 }),
    async rebuild() {
      expect((await run('projections', 'rebuild').result).status).toBe(0);
    },
    dispose: () => service.dispose(),
  };
}

/** Creates accounts without usable passwords, with secrets of the old key. */
async function seed({ ports, close }: Opened): Promise<void> {
  const sealer = new Sealer(parseSealingKeys(OLD));
  const ids = Array.from({ length: ACCOUNTS }, (_, index) => 100_000 + index);
  await Promise.all(
    ids.map((accountId) => {
      const sealed = { passwordHash: sealer.seal('hash', `account-${accountId}/password`) };
      const { stream, partition } = accountStream(accountId);
      const event = { ...registered(`seeded ${accountId}`, { accountId }), sealed };
      const command = { id: randomUUID(), type: 'Test', hash: '' };
      const origin = { at: Date.now(), actor: 'test', correlation: 'test' };
      return ports.store.append({ stream, partition, version: 1, command, ...origin, events: [event] });
    }),
  );
  await close();
}

describe.each([
  ['beside the process that owns the data folder', sqlite],
  ['on MongoDB', mongodb],
] as const)('%s', (_, open) => {
  let scene: Scene;
  let member: ApiClient;
  let secret: string;
  let pending: string;

  const ended = async (command: string, ...options: string[]) => (await scene.begin(command, ...options)).result;
  const passwordsByKey = async () => {
    const { out } = await ended('status', '--json');
    const { keys } = JSON.parse(out) as { keys: { key: string; passwords: number }[] };
    return Object.fromEntries(keys.map(({ key, passwords }) => [key, passwords]));
  };

  beforeAll(async () => {
    scene = await open();
    const admin = await adminOf(await scene.api());
    member = await newMember(admin, 'careful');
    secret = await enrol(member);
    await seed(await scene.open());
    await scene.restart(`${NEW},${OLD}`);
    pending = (await member.post('/api/auth/2fa/generate')).data<{ secret: string }>().secret;
  });
  afterAll(() => scene?.dispose());

  it('a killed resealing leaves every secret readable', async () => {
    const running = await scene.begin('reseal');
    await running.seen(' % of ');
    await scene.kill(running);
    const { old, new: fresh } = await passwordsByKey();
    expect(fresh).toBeGreaterThan(0);
    expect(old).toBeGreaterThan(0);
    expect(old! + fresh!).toBe(ACCOUNTS + 3);
    expect((await (await scene.api()).from(newAddress()).logIn('careful', 'pw-careful')).code).toBe(402);
  });

  it('the next one continues, and then nothing needs the old key', async () => {
    const { old } = await passwordsByKey();
    const { status, out, err } = await ended('reseal');
    expect({ status, problems: err.match(/problem/) }).toEqual({ status: 0, problems: null });
    expect(err).toMatch(/^100 % of [\d,]+ commits$/m);
    const [, resealed] = /^resealed (\d+) secrets? with the key "new"; \d+ already had it\n$/.exec(out) ?? [];
    // Besides the passwords, at most one static token and two secrets of second factors.
    expect(Number(resealed) - old!).toBeGreaterThanOrEqual(0);
    expect(Number(resealed) - old!).toBeLessThanOrEqual(3);
    expect(await passwordsByKey()).toEqual({ new: ACCOUNTS + 3 });
    expect((await ended('reseal')).out).toMatch(/^resealed 0 secrets /);
  });

  it('the service starts without the old key on rebuilt documents, and all logins work', async () => {
    await scene.rebuild();
    await scene.restart(NEW);
    const api = await scene.api();
    await adminOf(api);
    expect((await member.get('/api/me')).data()).toMatchObject({ username: 'careful', otp: true });
    const login = await api.from(newAddress()).logIn('careful', 'pw-careful', codeNow(secret, 1));
    expect(login.outcome).toBe('200 success');
    const proof = await member.post('/api/auth/2fa/verify', { code: codeNow(pending), secret: pending });
    expect(proof.outcome).toBe('200 success');
  });
});
