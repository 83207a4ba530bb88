import { randomBytes } from 'node:crypto';
import { connectOptions } from '@keyfold/event-store/mongo';
import mongoose, { type Connection } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountNamed, adminOf, newMember, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { keyfold, runCommand } from '../support/cli.js';
import { eventually } from '../support/eventually.js';
import { failedScaledStart } from '../support/failed-start.js';
import { newKeyLine } from '../support/key-line.js';
import { builtCommand } from '../support/keyfold-process.js';
import { lastingPort } from '../support/lasting-port.js';
import { freshDatabaseUri } from '../support/mongo/mongo-database.js';
import { release } from '../support/programs.js';
import { freshBroker } from '../support/rabbitmq/fresh-broker.js';
import { OtherService } from '../support/rabbitmq/other-service.js';
import {
  ADVICE,
  NO_PROBLEMS,
  type Created,
  type Entrance,
  expectEveryEvent,
  expectLogins,
  fill,
  listsOf,
  released,
} from '../support/released-service.js';
import { SCALED_SETTINGS, type ScaledProcess } from '../support/scaled-process.js';
import { ScaledService } from '../support/scaled-service.js';
import { listedKeysOf } from '../support/ssh-key-routes.js';

let service: ScaledService;
let connection: Connection;
let other: OtherService;
/** The settings of the processes and of the commands. */
let settings: Record<string, string>;
let entrances: readonly [Entrance, Entrance];
let created: Created;
let lists: Record<string, unknown>;

const listsAt = (gateway: 0 | 1) => listsOf(entrances[gateway], created);
const runReleased = (input: string, ...words: readonly string[]) => runCommand(released(...words), settings, input);

/** Replaces a running process with another version of it. */
async function replace(process: ScaledProcess, command: ScaledProcess['command']): Promise<void> {
  expect(await process.stop()).toBe(0);
  process.command = command;
  await process.start();
}

/** Creates an account through one gateway and a key of it through the other. Expects both to know both, and a subscriber to learn of them. */
async function expectShared(name: string, here: 0 | 1, there: 0 | 1): Promise<void> {
  const admin = await adminOf(entrances[here].api);
  const member = await newMember(admin, name);
  const { line, fingerprint } = newKeyLine();
  const elsewhere = await signedInAs(entrances[there].api, name);
  (await elsewhere.post('/api/me/sshkey/add', { title: 'laptop', key: line })).data();
  expect(await listedKeysOf(member)).toMatchObject([{ fingerprint }]);
  expect(await listedKeysOf(entrances[there].api.as(member.token))).toMatchObject([{ fingerprint }]);
  const { id } = await accountNamed(admin, name);
  for (const type of ['account.registered', 'ssh-key.added'])
    expect(await other.event(type, ({ accountId }) => accountId === id)).toBeDefined();
}

beforeAll(async () => {
  const [uri, broker] = [freshDatabaseUri(), await freshBroker()];
  connection = await mongoose.createConnection(uri, connectOptions).asPromise();
  settings = {
    ...SCALED_SETTINGS,
    KEYFOLD_MONGODB_URI: uri,
    KEYFOLD_RABBITMQ_URL: broker.url,
    KEYFOLD_RABBITMQ_MANAGEMENT_URL: broker.managementUrl,
  };
  for (const words of [['migrate'], ['topology', 'apply']])
    expect(await runReleased('', ...words)).toMatchObject({ status: 0 });
  service = await ScaledService.create(uri, {
    workers: 1,
    env: { ...settings, KEYFOLD_SERVERS_TRUSTED: '127.0.0.1' },
  });
  const [worker] = service.workers;
  worker!.command = released('worker');
  const entranceOf = async (gateway: ScaledProcess) => {
    const port = String(await lastingPort());
    gateway.command = released('gateway');
    await gateway.start({ KEYFOLD_SERVERS_PORT: port });
    return { api: new ApiClient(gateway.baseUrl), servers: new ApiClient(`http://127.0.0.1:${port}`) };
  };
  entrances = [await entranceOf(service.gateway(0)), await entranceOf(service.gateway(1))];
  await worker!.start();
  other = await OtherService.connect(broker.url);

  const setWrongCodes = (failures: number) =>
    connection.collection<{ _id: string }>('throttle').updateMany({ _id: /^one-time-code:/ }, { $set: { failures } });
  created = await fill(entrances[0], { operate: runReleased, setWrongCodes });
  const keys = `later:${randomBytes(32).toString('base64')},${settings['KEYFOLD_SEALING_KEY']}`;
  settings['KEYFOLD_SEALING_KEY'] = keys;
  await service.restart({ KEYFOLD_SEALING_KEY: keys });
  expect(await runReleased('', 'secrets', 'reseal')).toMatchObject({ status: 0 });
  lists = await listsAt(0);
});
afterAll(async () => {
  await other?.close();
  await service?.dispose();
  await connection?.close();
});

it(`${release.version} has stored every kind of event that it can`, async () => {
  expectEveryEvent((await connection.collection('commits').distinct('events.type')) as string[]);
});

describe(`gateways of ${release.version} and of this version on one database`, () => {
  beforeAll(async () => {
    for (const words of [['migrate'], ['topology', 'apply']])
      expect(await keyfold(settings, ...words)).toMatchObject({ status: 0 });
    await replace(service.workers[0]!, builtCommand('worker'));
    await replace(service.gateway(1), builtCommand('gateway'));
  });

  it('answer every list alike', async () => {
    expect(await listsAt(1)).toEqual(lists);
    expect(await listsAt(0)).toEqual(lists);
  });

  it('see the changes of each other at once, and a subscriber receives them', async () => {
    await expectShared('dora', 0, 1);
    await expectShared('emil', 1, 0);
  });
});

describe('this version alone', () => {
  beforeAll(() => replace(service.gateway(0), builtCommand('gateway')));

  it('accepts every login', () => expectLogins(entrances[0], created, created.owners[0]));

  it('finds no problem with `keyfold verify`', async () => {
    expect(await keyfold(settings, 'verify')).toMatchObject({ status: 0, out: NO_PROBLEMS });
  });
});

describe(`${release.version} on the database again`, () => {
  beforeAll(async () => {
    lists = await listsAt(0);
    for (const words of [['migrate'], ['topology', 'apply']])
      expect(await runReleased('', ...words)).toMatchObject({ status: 0 });
    await replace(service.workers[0]!, released('worker'));
    for (const gateway of service.gateways) await replace(gateway, released('gateway'));
  });

  it('answers every list alike, with the changes of this version', async () => {
    expect(JSON.stringify(lists['/api/admin/user/list'])).toContain('"emil"');
    // Its worker may still have to catch up.
    await eventually(async () => expect(await listsAt(0)).toEqual(lists));
  });

  it('accepts every login', () => expectLogins(entrances[0], created, created.owners[1]));

  it('continues to publish', () => expectShared('fred', 0, 1));

  it('finds no problem with `keyfold verify`', async () => {
    expect(await runReleased('', 'verify')).toMatchObject({ status: 0, out: NO_PROBLEMS });
  });
});

it(`${release.version} refuses a newer database and says what to do`, async () => {
  await service.stop();
  await connection.collection('schema').updateOne({}, { $set: { version: 99 } });
  const { exitCode, output } = await failedScaledStart('gateway', settings, released('gateway'));
  expect([exitCode, output]).toEqual([1, expect.stringMatching(ADVICE)]);
  const command = await runReleased('', 'migrate');
  expect(command).toMatchObject({ status: 1, out: '', err: expect.stringMatching(ADVICE) });
});
