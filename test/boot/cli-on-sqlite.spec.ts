import { readdirSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { keyfold, startKeyfold } from '../support/cli.js';
import { StandaloneProcess } from '../support/standalone-process.js';

const GOOD = /^\d+ commits of \d+ streams and \d+ documents: no problem\n$/;

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

  it('verify finds a document that differs, and a rebuild mends it', async () => {
    damage('views.db', "UPDATE accounts_1 SET state = json_set(state, '$.username', 'x') WHERE stream = 'account-2'");
    expect(await run('verify')).toMatchObject({
      status: 1,
      out: expect.stringMatching(/^the document of account-2 differs from its stream at version 1\n.*: 1 problem\n$/),
    });
    expect(await run('projections', 'rebuild', 'accounts')).toMatchObject({ status: 0, err: '' });
    expect(await run('verify')).toMatchObject({ status: 0 });
  });

  it('a rebuild of a model that there is not is wrong usage', async () => {
    expect(await run('projections', 'rebuild', 'users')).toEqual({
      status: 2,
      out: '',
      err: 'there is no read model "users"; there are accounts, sessions, ssh_key_rings, ssh_key_uses, site_settings\n',
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

  it('a parked stream is a failure of status, and is released when it can be folded', async () => {
    damage('views.db', "INSERT INTO parked_streams VALUES ('account-2', '2', 1, 'unknown event', 0)");
    expect(await run('projections', 'status')).toMatchObject({
      status: 1,
      out: expect.stringContaining('account-2 at version 1 since 1970-01-01T00:00:00.000Z: unknown event'),
    });
    expect(await run('projections', 'retry-parked')).toMatchObject({ status: 0, out: '1 tried, 0 parked\n' });
  });

  it('the status of the feed shows what was not sent yet, and whose events wait, which is a failure', async () => {
    const { status, out } = await run('feed', 'status', '--json');
    const { total } = JSON.parse(out) as { total: Record<string, number> };
    expect(status).toBe(0);
    // No RabbitMQ was ever named.
    expect(total).toMatchObject({ published: 0, lag: total['commits'], owners: 0 });
    damage('keyfold.db', "INSERT INTO parked_relays VALUES (0, '2', 5, 'unknown event', 0, 1)");
    expect(await run('feed', 'status')).toMatchObject({
      status: 1,
      out: expect.stringContaining('account 2 at position 5 of slot 0 since 1970-01-01T00:00:00.000Z: unknown event'),
    });
    damage('keyfold.db', 'DELETE FROM parked_relays');
    expect((await run('feed', 'status')).out).toContain('No account is parked.');
  });

  it('the status of the feed says why nothing is published', async () => {
    const problem = service.isRunning
      ? 'KEYFOLD_RABBITMQ_URL is not set in the running process. Set it and restart the process'
      : 'no process runs on this data folder. Start one with KEYFOLD_RABBITMQ_URL set';
    const { status, out } = await run('feed', 'status');
    expect({ status, out }).toEqual({
      status: 0,
      out: expect.stringContaining(`\nNothing is published: ${problem}\n`),
    });
    expect(JSON.parse((await run('feed', 'status', '--json')).out)).toMatchObject({ problem });
  });

  it('migrate finds everything filled', async () => {
    expect(await run('migrate')).toMatchObject({
      status: 0,
      out: expect.stringContaining('the read models are up to date with'),
    });
  });

  it('events are shown with their secrets sealed', async () => {
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

  it('a stream that there is not is told, with the names that there are', async () => {
    expect(await run('events', 'show', 'account-99')).toEqual({
      status: 1,
      out: '',
      err: expect.stringContaining('there is no stream account-99; streams are named account-<id>'),
    });
  });

  it('an interrupted command ends soon, and leaves the service and the folder as they were', async () => {
    const following = startKeyfold({ KEYFOLD_DATA_DIR: service.dataDir }, 'migrate', '--follow');
    await following.seen('following the feed until interrupted');
    following.child.kill('SIGINT');
    expect(await following.result).toMatchObject({ status: 0 });
    expect(await run('verify')).toMatchObject({ status: 0 });
  });
});

describe('the socket in the data folder', () => {
  it('is for its owner alone, and gone when the process has ended', async () => {
    if (!service.isRunning) await service.restart();
    expect(statSync(socket()).mode & 0o777).toBe(0o600);
    expect(await service.stop()).toBe(0);
    expect(sockets()).toEqual([]);
  });

  it('of a killed process is no hindrance, neither for the command nor for the next start', async () => {
    await service.restart();
    await service.kill();
    expect(sockets()).toEqual(['operator.sock']);
    expect(await run('verify')).toMatchObject({ status: 0 });
    await service.restart();
    expect(await run('projections', 'status')).toMatchObject({ status: 0 });
  });

  it('that was taken away from a running process is told, with what to do', async () => {
    if (!service.isRunning) await service.restart();
    unlinkSync(socket());
    expect(await run('verify')).toMatchObject({
      status: 1,
      err: expect.stringMatching(/another process holds the data folder .* does not listen for operators.*stop it/),
    });
    await service.restart();
  });
});

it('a service that stops ends the commands that it carries out', async () => {
  if (!service.isRunning) await service.restart();
  const following = startKeyfold({ KEYFOLD_DATA_DIR: service.dataDir }, 'migrate', '--follow');
  await following.seen('following the feed until interrupted');
  expect(await service.stop()).toBe(0);
  expect(await following.result).toMatchObject({ status: 0 });
});

it('a service is refused while a command has the folder', async () => {
  if (service.isRunning) await service.stop();
  const following = startKeyfold({ KEYFOLD_DATA_DIR: service.dataDir }, 'migrate', '--follow');
  await following.seen('following the feed until interrupted');
  await expect(service.restart()).rejects.toThrow('is in use by another process');
  following.child.kill('SIGTERM');
  expect(await following.result).toMatchObject({ status: 0 });
  await service.restart();
});
