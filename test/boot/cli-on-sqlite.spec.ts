import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { keyfoldHere } from '../support/cli-in-process.js';
import { keyfold, startKeyfold } from '../support/cli.js';
import { StandaloneProcess } from '../support/standalone-process.js';

const GOOD = /^\d+ commits of \d+ streams and \d+ documents: no problems\n$/;

let service: StandaloneProcess;
const run = (...args: string[]) => keyfoldHere({ KEYFOLD_DATA_DIR: service.dataDir }, ...args);
/** Runs a command as a process of its own. */
const runBuilt = (...args: string[]) => keyfold({ KEYFOLD_DATA_DIR: service.dataDir }, ...args);
/** Starts a command that only ends when it is interrupted, and waits until it works. */
async function following() {
  const running = startKeyfold({ KEYFOLD_DATA_DIR: service.dataDir }, 'migrate', '--follow');
  await running.seen('following the feed until interrupted');
  return running;
}

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

  it('verify finds a wrong document, and a rebuild repairs it', async () => {
    damage('views.db', "UPDATE accounts_2 SET state = json_set(state, '$.permission', -1) WHERE stream = 'account-2'");
    expect(await run('verify')).toMatchObject({
      status: 1,
      out: expect.stringMatching(/^the document of account-2 differs from its stream at version 1\n.*: 1 problem\n$/),
    });
    expect(await run('projections', 'rebuild', 'accounts')).toMatchObject({ status: 0, err: '' });
    expect(await run('verify')).toMatchObject({ status: 0, out: expect.stringMatching(GOOD) });
  });

  it('status shows head, checkpoint, lag and parked streams, and fails for them until they can be folded', async () => {
    const { status, out } = await run('projections', 'status', '--json');
    const { total, parked } = JSON.parse(out) as { total: Record<string, number>; parked: unknown[] };
    expect(status).toBe(0);
    expect(total).toMatchObject({ lag: 0, owners: service.isRunning ? 1 : 0 });
    expect(total['commits']).toBeGreaterThanOrEqual(3);
    expect(parked).toEqual([]);
    damage('views.db', "INSERT INTO parked_streams VALUES ('account-2', '2', 1, 'unknown event', 0)");
    expect(await run('projections', 'status')).toMatchObject({
      status: 1,
      out: expect.stringContaining('account-2 at version 1 since 1970-01-01T00:00:00.000Z: unknown event'),
    });
    const retried = { status: 0, out: 'retried 1 stream, 0 still parked\n' };
    expect(await run('projections', 'retry-parked')).toMatchObject(retried);
  });

  it('feed status shows unpublished events and why nothing is published, and fails for parked accounts', async () => {
    const problem = service.isRunning
      ? 'KEYFOLD_RABBITMQ_URL is not set in the running process. Set it and restart the process'
      : 'no process uses this data folder. Start one with KEYFOLD_RABBITMQ_URL set';
    const { status, out } = await run('feed', 'status', '--json');
    expect(status).toBe(0);
    const { total } = JSON.parse(out) as { total: Record<string, number> };
    // RabbitMQ was never configured.
    expect(total).toMatchObject({ published: 0, lag: total['commits'], owners: 0 });
    expect(JSON.parse(out)).toMatchObject({ problem });
    damage('keyfold.db', "INSERT INTO parked_relays VALUES (0, '2', 5, 'unknown event', 0, 1)");
    const parked = await run('feed', 'status');
    expect(parked.status).toBe(1);
    expect(parked.out).toContain(`\nProblem: ${problem}\n`);
    expect(parked.out).toContain('account 2 at position 5 of slot 0 since 1970-01-01T00:00:00.000Z: unknown event');
    damage('keyfold.db', 'DELETE FROM parked_relays');
  });

  it.each([
    ['migrate', /^the read models are up to date with \d+ commits\n$/],
    ['compact --dry-run', /^would compact 0 sessions /],
    ['account list', /^ *id +username .*\n *1 +admin .*\n *2 +guest .*\n2 accounts\n$/s],
    ['account show admin', /^"admin"\n +id +1\n/],
    ['account history admin', /Z {2}account\.registered\n +by +first-start\n/],
    ['account sessions admin', /^0 sessions of "admin"\n$/],
    ['account keys admin', /^0 SSH keys of "admin"\n$/],
    ['account tokens admin', /^0 access tokens of "admin"\n$/],
    ['account app-passwords admin', /^0 app passwords of "admin"\n$/],
    [
      'settings get site_title token',
      /^setting +kind +value\nsite_title +public +OpenList\ntoken +private +\(secret\)\n$/,
    ],
    ['settings get token --reveal', /^openlist-[\w-]+\n$/],
    ['settings diff', /^Every setting has its factory value\.\n$/],
    ['feed replay --dry-run', /^event +would be sent\naccount\.registered +2\n/],
    ['events show account-1', /^account-1 1 {2}\d{4}-.*AccountRegistered v1\n.*: sealed with key k1\n/s],
  ])('%s prints its result', async (line, printed) => {
    // Beside a service, the service does the work.
    const output = await (service.isRunning ? run : runBuilt)(...line.split(' '));
    expect(output).toEqual({ status: 0, out: expect.stringMatching(printed), err: '' });
  });

  it('an interrupted command ends soon and leaves the service and the folder unchanged', async () => {
    const { child, result } = await following();
    child.kill('SIGINT');
    expect(await result).toMatchObject({ status: 0 });
    expect(await run('verify')).toMatchObject({ status: 0 });
  });
});

it('a socket that was deleted under a running process is reported with advice', async () => {
  if (!service.isRunning) await service.restart();
  unlinkSync(join(service.dataDir, 'operator.sock'));
  expect(await run('verify')).toMatchObject({
    status: 1,
    err: expect.stringMatching(/another process uses the data folder .* accepts no commands.*stop that process/),
  });
  await service.restart();
});

it('a stopping service ends the commands that it is running', async () => {
  if (!service.isRunning) await service.restart();
  const { result } = await following();
  expect(await service.stop()).toBe(0);
  expect(await result).toMatchObject({ status: 0 });
});

it('a service refuses to start while a command uses the folder', async () => {
  if (service.isRunning) await service.stop();
  const { child, result } = await following();
  await expect(service.restart()).rejects.toThrow('is in use by another process');
  child.kill('SIGTERM');
  expect(await result).toMatchObject({ status: 0 });
  await service.restart();
});
