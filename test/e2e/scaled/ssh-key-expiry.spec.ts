import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accountNamed, adminOf, createAccount, newMember, signedInAs } from '../../support/accounts.js';
import { ApiClient } from '../../support/api-client.js';
import { keyfold } from '../../support/cli.js';
import { newKeyLine } from '../../support/key-line.js';
import { expectOwnersFound } from '../../support/key-owner-reads.js';
import { freshDatabaseUri } from '../../support/mongo/mongo-database.js';
import { freshBroker } from '../../support/rabbitmq/fresh-broker.js';
import { OtherService, until } from '../../support/rabbitmq/other-service.js';
import { ScaledService } from '../../support/scaled-service.js';
import { timesLength } from '../../support/test-length.js';
import { authorizedKeysOf, inMilliseconds, listedKeysOf } from '../../support/ssh-key-routes.js';

const MAY_USE_SFTP = 1 << 10;
/** Enough for keys in the slots of both workers. */
const ACCOUNTS = 10;

let service: ScaledService;
let other: OtherService;
let admin: ApiClient;

beforeAll(async () => {
  const broker = await freshBroker();
  const env = { KEYFOLD_RABBITMQ_URL: broker.url, KEYFOLD_LEASE_SECONDS: '2' };
  await keyfold(env, 'topology', 'apply');
  service = await ScaledService.start(freshDatabaseUri(), { gateways: 2, workers: 2, env });
  other = await OtherService.connect(broker.url);
  admin = await adminOf(service.api());
});

afterAll(async () => {
  await other?.close();
  await service?.dispose();
});

/** Returns the number of `SshKeyExpired` events in the account's ring. */
async function storedExpiries(accountId: number): Promise<number> {
  const env = { KEYFOLD_MONGODB_URI: service.uri };
  const { out } = await keyfold(env, 'events', 'show', `ssh-keys-${accountId}`, '--json');
  return out.split('"SshKeyExpired"').length - 1;
}

it('workers announce each expired key once, also after one of them was killed', async () => {
  const names = Array.from({ length: ACCOUNTS }, (_, n) => `member${n}`);
  const members = await Promise.all(names.map((name) => newMember(admin, name)));
  /** The ids of the events; a killed worker may publish one twice. */
  const announced = () =>
    new Set(
      other.events
        .filter(({ properties }) => properties.type === 'ssh-key.expired')
        .map(({ properties }) => String(properties.messageId)),
    );
  /** Adds a key to each account, and waits until the keys have been announced. Returns the number of different events. */
  const announcedAfter = async (title: string) => {
    const expected = announced().size + ACCOUNTS;
    const key = () => ({ title, key: newKeyLine().line, expires: inMilliseconds(4_000) });
    for (const added of await Promise.all(members.map((member) => member.post('/api/me/sshkey/add', key()))))
      added.data();
    await until(() => (announced().size >= expected ? true : undefined));
    // Every worker polls again meanwhile.
    await sleep(2_500);
    return announced().size;
  };
  expect(await announcedAfter('one')).toBe(ACCOUNTS);
  const [killed] = service.workers;
  await killed?.kill();
  expect(await announcedAfter('two')).toBe(2 * ACCOUNTS);
  await killed?.start();
  // More for one account would show above as another event.
  const { id: accountId } = await accountNamed(admin, 'member0');
  expect(await storedExpiries(accountId)).toBe(2);
});

it('while every worker is down, no gateway hands out an expired key; the workers announce it later', async () => {
  const { id: accountId } = await createAccount(admin, 'bea', { permission: MAY_USE_SFTP });
  const member = await signedInAs(service.api(), 'bea');
  await Promise.all(service.workers.map((worker) => worker.kill()));
  (await member.post('/api/me/sshkey/add', { title: 'brief', key: newKeyLine().line })).data();
  const clients = service.urls.map((url) => new ApiClient(url).as(member.token));
  for (const client of clients) expect(await authorizedKeysOf(client)).toHaveLength(1);
  const [{ id } = { id: 0 }] = await listedKeysOf(member);
  const expires = inMilliseconds(2_000);
  (await member.post('/api/me/sshkey/update', { id, title: 'brief', expires })).data();
  // Every gateway has read the key before it expires.
  await Promise.all(clients.map(authorizedKeysOf));
  await sleep(Date.parse(expires) - Date.now());
  for (const client of clients) {
    expect(await authorizedKeysOf(client)).toEqual([]);
    expect(await listedKeysOf(client)).toMatchObject([{ title: 'brief', expired: true }]);
  }
  expect(await storedExpiries(accountId)).toBe(0);
  await Promise.all(service.workers.map((worker) => worker.start()));
  const announced = await other.event('ssh-key.expired', (data) => data['accountId'] === accountId);
  expect(announced).toMatchObject({ expires });
  expect(await other.ask('ssh-keys.look-up', { username: 'bea' })).toMatchObject({ ok: true, data: { keys: [] } });
  expect(await storedExpiries(accountId)).toBe(1);
});

it('the owner of a key is found on the other gateway at once, with and without workers', async () => {
  const [one = '', two = ''] = service.urls;
  await expectOwnersFound([one, two], 'cat', timesLength(15));
  await Promise.all(service.workers.map((worker) => worker.kill()));
  await expectOwnersFound([one, two], 'dan', timesLength(15));
});
