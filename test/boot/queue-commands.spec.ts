import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountNamed, adminOf, newMember } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { keyfoldHere } from '../support/cli-in-process.js';
import { keyfold } from '../support/cli.js';
import { keyLine } from '../support/key-line.js';
import { freshBroker } from '../support/rabbitmq/fresh-broker.js';
import { OtherService, until } from '../support/rabbitmq/other-service.js';
import { StandaloneProcess } from '../support/standalone-process.js';

type ListedKey = Readonly<{ fingerprint: string; added_time: string; last_used_time: string }>;
type Parked = Readonly<{ id: string; type: string; errorCode: string }>;

let url: string;
let app: StandaloneProcess;
let other: OtherService;

beforeAll(async () => {
  url = (await freshBroker()).url;
  app = await StandaloneProcess.start({ KEYFOLD_RABBITMQ_URL: url });
  other = await OtherService.connect(url);
});

afterAll(async () => {
  await other?.close();
  await app?.dispose();
});

const queue = (...args: readonly string[]) => keyfoldHere({ KEYFOLD_RABBITMQ_URL: url }, 'queue', ...args);
/** Runs the command as a process of its own; once for each command. */
const queueProcess = (...args: readonly string[]) => keyfold({ KEYFOLD_RABBITMQ_URL: url }, 'queue', ...args);

const parked = async () => JSON.parse((await queue('list', '--json')).out) as Parked[];

const keysOf = async (member: ApiClient) =>
  (await member.get('/api/me/sshkey/list')).data<{ content: ListedKey[] }>().content;

/** Reports the use of a key that the account does not have yet, and waits until the command is parked. */
async function useOfUnknownKey(username: string) {
  const admin = await adminOf(new ApiClient(app.baseUrl));
  const member = await newMember(admin, username);
  const { id: account } = await accountNamed(admin, username);
  const key = keyLine(username);
  const time = new Date(Date.now() + 60_000).toISOString();
  const use = { account, fingerprint: key.fingerprint, address: '192.0.2.7', time };
  const before = await other.waiting('keyfold.commands.parked');
  const id = other.command('ssh-key.use', use);
  await until(async () => (await other.waiting('keyfold.commands.parked')) > before || undefined);
  return { member, key, time, use, id };
}

it('keyfold feed status reports that everything was published', async () => {
  const status = (...args: string[]) => keyfold({ KEYFOLD_DATA_DIR: app.dataDir }, 'feed', 'status', ...args);
  const read = async () => JSON.parse((await status('--json')).out) as { total: { lag: number } };
  await until(async () => (await read()).total.lag === 0 || undefined);
  expect(await read()).toMatchObject({ total: { owners: 1 }, problem: null });
  expect((await status()).out).not.toContain('Problem: ');
});

describe('keyfold queue', () => {
  it('redrives a parked command, which then succeeds', async () => {
    expect(await queue('list')).toEqual({ status: 0, out: 'No matching parked command.\n', err: '' });
    const { member, key, time, use, id } = await useOfUnknownKey('late');
    const listed = await queueProcess('list');
    expect(listed).toMatchObject({ status: 0, err: '' });
    expect(listed.out).toMatch(
      new RegExp(`^${id}\\n  type +ssh-key\\.use\\n  error +ssh-key-not-found\\n  attempts +1\\n`, 'm'),
    );
    expect(listed.out).toContain('1 parked');
    for (const line of listed.out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    const shown = JSON.parse((await queueProcess('show', id)).out) as Parked & { body: string };
    expect(shown).toMatchObject({ id, type: 'ssh-key.use', errorCode: 'ssh-key-not-found', attempts: 1 });
    expect(JSON.parse(shown.body)).toEqual(use);

    (await member.post('/api/me/sshkey/add', { title: 'laptop', key: key.line })).data();
    expect(await queue('redrive', '--id', id, '--dry-run')).toMatchObject({
      status: 0,
      out: `would be resent: ${id} (ssh-key.use, ssh-key-not-found)\n`,
    });
    const [added] = await keysOf(member);
    expect(added?.last_used_time).toBe(added?.added_time);
    expect(await queueProcess('redrive', '--id', id)).toEqual({
      status: 0,
      out: `resent: ${id} (ssh-key.use, ssh-key-not-found)\n`,
      err: '',
    });
    const moved = await until(async () =>
      (await keysOf(member)).find((each) => Date.parse(each.last_used_time) === Date.parse(time)),
    );
    expect(moved.fingerprint).toBe(key.fingerprint);
    expect(await parked()).toEqual([]);
  });

  it('parks a command again that still fails', async () => {
    const { id } = await useOfUnknownKey('never');
    expect(await queue('redrive', '--type', 'ssh-key.use')).toMatchObject({ status: 0 });
    await until(async () => ((await parked()).some((each) => each.id === id) ? true : undefined));
    expect(await parked()).toMatchObject([{ id, errorCode: 'ssh-key-not-found', attempts: 1 }]);
    await queue('drop', id, '--reason', 'end of the test');
  });

  it('drops only the given command and logs the reason', async () => {
    const [first, second] = [await useOfUnknownKey('dropped'), await useOfUnknownKey('kept')];
    expect(await queueProcess('drop', first.id, '--reason', 'sent by mistake')).toEqual({
      status: 0,
      out: `dropped: ${first.id} (ssh-key.use, ssh-key-not-found): sent by mistake\n`,
      err: '',
    });
    expect((await parked()).map(({ id }) => id)).toEqual([second.id]);
    expect((await queue('drop', second.id)).status).toBe(2);
    expect((await parked()).map(({ id }) => id)).toEqual([second.id]);
    await queue('drop', second.id, '--reason', 'end of the test');
  });

  it('respects the limit', async () => {
    const [first, second] = [await useOfUnknownKey('one'), await useOfUnknownKey('two')];
    const { status, out } = await queue('redrive', '--limit', '1');
    expect(status).toBe(0);
    expect(out.match(/^resent: /gm)).toHaveLength(1);
    await until(async () => ((await parked()).length === 2 ? true : undefined));
    for (const { id } of [first, second]) await queue('drop', id, '--reason', 'end of the test');
  });

  it.each([
    ['show', ['no-such-id']],
    ['redrive', ['--id', 'no-such-id']],
    ['redrive', ['--type', 'no.such-type']],
    ['drop', ['no-such-id', '--reason', 'none']],
  ])('reports that there is nothing to %s %j', async (command, args) => {
    expect(await queue(command, ...args)).toEqual({ status: 1, out: '', err: 'no matching parked command\n' });
  });

  it('reports a missing queue of parked commands', async () => {
    const { url: empty } = await freshBroker();
    const { status, err } = await keyfoldHere({ KEYFOLD_RABBITMQ_URL: empty }, 'queue', 'list');
    expect({ status, lines: err.trim().split('\n').length }).toEqual({ status: 1, lines: 1 });
    expect(err).toMatch(/^keyfold: cannot read keyfold\.commands\.parked: no queue .*: run keyfold topology apply$/m);
  });
});
