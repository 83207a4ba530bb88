import { afterAll, beforeAll, expect, it } from 'vitest';
import { accountNamed, adminOf, createAccount, newMember, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { newKeyLine } from '../support/key-line.js';
import { freshBroker } from '../support/rabbitmq/fresh-broker.js';
import { OtherService, until } from '../support/rabbitmq/other-service.js';
import { authorizedKeysOf, inMilliseconds, listedKeysOf } from '../support/ssh-key-routes.js';
import { StandaloneProcess } from '../support/standalone-process.js';

const MAY_USE_SFTP = 1 << 10;

let app: StandaloneProcess;
let admin: ApiClient;
let other: OtherService;

beforeAll(async () => {
  const broker = await freshBroker();
  app = await StandaloneProcess.start({ KEYFOLD_RABBITMQ_URL: broker.url, KEYFOLD_THREADS: '4' });
  admin = await adminOf(new ApiClient(app.baseUrl));
  other = await OtherService.connect(broker.url);
});

afterAll(async () => {
  await other?.close();
  expect(await app?.stop(), 'clean shutdown').toBe(0);
  await app?.dispose();
});

const lookUp = async (username: string) => {
  const answer = (await other.ask('ssh-keys.look-up', { username })) as { data: { keys: { title: string }[] } };
  return answer.data.keys.map(({ title }) => title);
};

it('an expired key is handed to nobody, on any thread, and a subscriber learns of it within five seconds', async () => {
  await createAccount(admin, 'ann', { permission: MAY_USE_SFTP });
  const member = await signedInAs(new ApiClient(app.baseUrl), 'ann');
  const { id: accountId } = await accountNamed(admin, 'ann');
  const expires = inMilliseconds(3_000);
  const key = newKeyLine();
  (await member.post('/api/me/sshkey/add', { title: 'brief', key: key.line, expires })).data();
  (await member.post('/api/me/sshkey/add', { title: 'lasting', key: newKeyLine().line })).data();
  const added = await other.event('ssh-key.added', ({ title }) => title === 'brief');
  expect(added).toMatchObject({ accountId, expires });
  expect(await lookUp('ann')).toEqual(['brief', 'lasting']);
  expect(await authorizedKeysOf(member)).toHaveLength(2);

  // Each request is a connection of its own, so that all threads answer.
  while (Date.now() < Date.parse(expires)) await authorizedKeysOf(member);
  const files = await Promise.all(Array.from({ length: 40 }, () => authorizedKeysOf(member)));
  expect(files.flat().filter((line) => line.endsWith('brief'))).toEqual([]);
  expect(files.flat()).toHaveLength(40);
  expect(await lookUp('ann')).toEqual(['lasting']);
  const lists = await Promise.all(Array.from({ length: 20 }, () => listedKeysOf(member)));
  for (const list of lists) expect(list.map(({ title, expired }) => [title, expired])).toEqual(shown(true));

  const [listed] = await listedKeysOf(member);
  const expired = await other.event('ssh-key.expired');
  expect(Date.now() - Date.parse(expires)).toBeLessThan(5_000);
  expect(expired).toEqual({ accountId, keyId: listed!.id, fingerprint: key.fingerprint, expires });

  const later = inMilliseconds(60_000);
  (await member.post('/api/me/sshkey/update', { id: listed!.id, expires: later })).data();
  expect(await lookUp('ann')).toEqual(['brief', 'lasting']);
  expect((await listedKeysOf(member)).map(({ title, expired: now }) => [title, now])).toEqual(shown(false));
  const changed = await other.event('ssh-key.expiry-changed');
  expect(changed).toEqual({ accountId, keyId: listed!.id, expires: later });
  (await member.post('/api/me/sshkey/update', { id: listed!.id, title: 'revived' })).data();
  expect(await other.event('ssh-key.renamed')).toEqual({ accountId, keyId: listed!.id, title: 'revived' });
  const types = other.events.map(({ properties }) => String(properties.type));
  expect(types.filter((type) => type === 'ssh-key.expired')).toHaveLength(1);
});

const shown = (brief: boolean) => [
  ['brief', brief],
  ['lasting', false],
];

it('a key that expired while the service was down is announced after the start', async () => {
  const member = await newMember(admin, 'bea');
  const { id: accountId } = await accountNamed(admin, 'bea');
  (
    await member.post('/api/me/sshkey/add', { title: 'brief', key: newKeyLine().line, expires: inMilliseconds(1_000) })
  ).data();
  await app.kill();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await app.restart();
  const isHers = (data: Record<string, unknown>) => data['accountId'] === accountId;
  await other.event('ssh-key.expired', isHers);
  expect(await authorizedKeysOf(member)).toEqual([]);
  await until(async () => ((await listedKeysOf(member))[0]?.expired ? true : undefined));
});
