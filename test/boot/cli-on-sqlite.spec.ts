import { readdirSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { keyfold, startKeyfold } from '../support/cli.js';
import { StandaloneProcess } from '../support/standalone-process.js';

const GOOD = /^\d+ commits of \d+ streams and \d+ documents: no problems\n$/;

let service: StandaloneProcess;
const run = (...args: string[]) => keyfold({ KEYFOLD_DATA_DIR: service.dataDir }, ...args);
const socket = () => join(service.dataDir, 'operator.sock');
const sockets = () => readdirSync(service.dataDir).filter((name) => name.endsWith('.sock'));

function damage(file: 'keyfold.db' | 'views.db', sql: string): void {
  const database = new DatabaseSync(join(service.dataDir, file), { timeout: 5_000 });
  database.exec(sql);
  database.close();
}

beforeAll(async () => {
  service = await StandaloneProcess.start();
});
afterAll(() => service?.dispose());

describe.each([
  ['beside the process that owns the folder', async () => service.isRunning || (await service.restart())],
  ['while no process runs', async () => service.isRunning && (await service.stop())],
] as const)('%s', (_, arrange) => {
  beforeEach(async () => {
    await arrange();
  });

  it('verify finds no problem in a healthy store', async () => {
    const { status, out } = await run('verify');
    expect({ status, out }).toMatchObject({ status: 0, out: expect.stringMatching(GOOD) });
  });

  it('verify finds a wrong document, and a rebuild repairs it', async () => {
    damage('views.db', "UPDATE accounts_1 SET state = json_set(state, '$.username', 'x') WHERE stream = 'account-2'");
    expect(await run('verify')).toMatchObject({
      status: 1,
      out: expect.stringMatching(/^the document of account-2 differs from its stream at version 1\n.*: 1 problem\n$/),
    });
    expect(await run('projections', 'rebuild', 'accounts')).toMatchObject({ status: 0, err: '' });
    expect(await run('verify')).toMatchObject({ status: 0 });
  });

  it('a rebuild of an unknown model is a usage error', async () => {
    expect(await run('projections', 'rebuild', 'users')).toEqual({
      status: 2,
      out: '',
      err: 'unknown read model "users". Known models: accounts, sessions, ssh_key_rings, ssh_key_uses, access_tokens, app_passwords, site_settings\n',
    });
  });

  it('status shows head, checkpoint and lag', async () => {
    const { status, out } = await run('projections', 'status', '--json');
    const { total, parked } = JSON.parse(out) as { total: Record<string, number>; parked: unknown[] };
    expect(status).toBe(0);
    expect(total).toMatchObject({ lag: 0, owners: service.isRunning ? 1 : 0 });
    expect(total['commits']).toBeGreaterThanOrEqual(3);
    expect(parked).toEqual([]);
    expect((await run('projections', 'status')).out).toMatch(
      /^slot +head +checkpoint +lag +owner\n +0 .*\nNo stream is parked.\n$/s,
    );
  });

  it('a parked stream fails status, and is released once it can be folded', async () => {
    damage('views.db', "INSERT INTO parked_streams VALUES ('account-2', '2', 1, 'unknown event', 0)");
    expect(await run('projections', 'status')).toMatchObject({
      status: 1,
      out: expect.stringContaining('account-2 at version 1 since 1970-01-01T00:00:00.000Z: unknown event'),
    });
    expect(await run('projections', 'retry-parked')).toMatchObject({
      status: 0,
      out: 'retried 1 stream, 0 still parked\n',
    });
  });

  it('feed status shows unpublished events, and fails for parked accounts', async () => {
    const { status, out } = await run('feed', 'status', '--json');
    const { total } = JSON.parse(out) as { total: Record<string, number> };
    expect(status).toBe(0);
    // RabbitMQ was never configured.
    expect(total).toMatchObject({ published: 0, lag: total['commits'], owners: 0 });
    damage('keyfold.db', "INSERT INTO parked_relays VALUES (0, '2', 5, 'unknown event', 0, 1)");
    expect(await run('feed', 'status')).toMatchObject({
      status: 1,
      out: expect.stringContaining('account 2 at position 5 of slot 0 since 1970-01-01T00:00:00.000Z: unknown event'),
    });
    damage('keyfold.db', 'DELETE FROM parked_relays');
    expect((await run('feed', 'status')).out).toContain('No account is parked.');
  });

  it('feed status says why nothing is published', async () => {
    const problem = service.isRunning
      ? 'KEYFOLD_RABBITMQ_URL is not set in the running process. Set it and restart the process'
      : 'no process uses this data folder. Start one with KEYFOLD_RABBITMQ_URL set';
    const { status, out } = await run('feed', 'status');
    expect({ status, out }).toEqual({
      status: 0,
      out: expect.stringContaining(`\nNothing is published: ${problem}\n`),
    });
    expect(JSON.parse((await run('feed', 'status', '--json')).out)).toMatchObject({ problem });
  });

  it('migrate finds everything up to date', async () => {
    expect(await run('migrate')).toMatchObject({
      status: 0,
      out: expect.stringContaining('the read models are up to date with'),
    });
  });

  it('events are shown with sealed secrets', async () => {
    const { status, out } = await run('events', 'show', 'account-1');
    expect(status).toBe(0);
    expect(out).toMatch(/^account-1 1 {2}\d{4}-/);
    expect(out).toContain('AccountRegistered v1');
    expect(out).toContain('username: "admin"');
    expect(out).toMatch(/: sealed with key k1\n/);
    const json = await run('events', 'show', 'account-1', '--json');
    expect(JSON.parse(json.out.split('\n')[0]!)).toMatchObject({ stream: 'account-1', version: 1 });
    for (const text of [out, json.out]) expect(text).not.toMatch(/k1\.[\w-]{10}/);
  });

  it('an unknown stream is reported with the known stream names', async () => {
    expect(await run('events', 'show', 'account-99')).toEqual({
      status: 1,
      out: '',
      err: expect.stringContaining('no stream account-99. Streams are named account-<id>'),
    });
  });

  it('an interrupted command ends soon and leaves the service and the folder unchanged', async () => {
    const following = startKeyfold({ KEYFOLD_DATA_DIR: service.dataDir }, 'migrate', '--follow');
    await following.seen('following the feed until interrupted');
    following.child.kill('SIGINT');
    expect(await following.result).toMatchObject({ status: 0 });
    expect(await run('verify')).toMatchObject({ status: 0 });
  });
});

describe('the socket in the data folder', () => {
  it('is private to its owner and removed when the process ends', async () => {
    if (!service.isRunning) await service.restart();
    expect(statSync(socket()).mode & 0o777).toBe(0o600);
    expect(await service.stop()).toBe(0);
    expect(sockets()).toEqual([]);
  });

  it('of a killed process affects neither the command nor the next start', async () => {
    await service.restart();
    await service.kill();
    expect(sockets()).toEqual(['operator.sock']);
    expect(await run('verify')).toMatchObject({ status: 0 });
    await service.restart();
    expect(await run('projections', 'status')).toMatchObject({ status: 0 });
  });

  it('that was deleted under a running process is reported with advice', async () => {
    if (!service.isRunning) await service.restart();
    unlinkSync(socket());
    expect(await run('verify')).toMatchObject({
      status: 1,
      err: expect.stringMatching(/another process uses the data folder .* accepts no commands.*stop that process/),
    });
    await service.restart();
  });
});

it('a stopping service ends the commands that it is running', async () => {
  if (!service.isRunning) await service.restart();
  const following = startKeyfold({ KEYFOLD_DATA_DIR: service.dataDir }, 'migrate', '--follow');
  await following.seen('following the feed until interrupted');
  expect(await service.stop()).toBe(0);
  expect(await following.result).toMatchObject({ status: 0 });
});

it('a service refuses to start while a command uses the folder', async () => {
  if (service.isRunning) await service.stop();
  const following = startKeyfold({ KEYFOLD_DATA_DIR: service.dataDir }, 'migrate', '--follow');
  await following.seen('following the feed until interrupted');
  await expect(service.restart()).rejects.toThrow('is in use by another process');
  following.child.kill('SIGTERM');
  expect(await following.result).toMatchObject({ status: 0 });
  await service.restart();
});
