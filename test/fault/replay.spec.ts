import { connect, type Channel } from 'amqplib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ADMIN_PASSWORD } from '../support/accounts.js';
import { AccountClient, type ListedKey } from '../support/account-client.js';
import { keyfold, startKeyfold } from '../support/cli.js';
import { keyLine } from '../support/key-line.js';
import { freshDatabaseUri } from '../support/mongo/mongo-database.js';
import { freshBroker, type FreshBroker } from '../support/rabbitmq/fresh-broker.js';
import { limitedUser } from '../support/rabbitmq/limited-user.js';
import { SCALED_SETTINGS, ScaledProcess } from '../support/scaled-process.js';
import { migrate } from '../support/scaled-service.js';
import { StandaloneProcess, type ProcessEnv } from '../support/standalone-process.js';
import { timesLength } from '../support/test-length.js';
import { EventListener } from './event-listener.js';

const EVENTS = timesLength(800);
/** Below the limit of 1,000 keys per account. */
const KEYS_OF_ONE = 900;
const MEMBERS = Math.max(4, Math.ceil(EVENTS / KEYS_OF_ONE));
const AT_A_TIME = 32;
const POLL = { timeout: 120_000, interval: 20 };

type Service = Readonly<{ baseUrl: string; cli: ProcessEnv; dispose(): Promise<void> }>;

async function startOnSqlite(env: ProcessEnv): Promise<Service> {
  const app = await StandaloneProcess.start(env);
  return { baseUrl: app.baseUrl, cli: { KEYFOLD_DATA_DIR: app.dataDir }, dispose: () => app.dispose() };
}

async function startOnMongodb(env: ProcessEnv): Promise<Service> {
  const uri = freshDatabaseUri();
  await migrate(uri);
  const settings = { ...SCALED_SETTINGS, KEYFOLD_MONGODB_URI: uri, ...env };
  const app = await ScaledProcess.create('standalone', 'standalone', settings);
  await app.start();
  return { baseUrl: app.baseUrl, cli: { KEYFOLD_MONGODB_URI: uri }, dispose: () => app.dispose() };
}

/** Members who add keys. Ignores their answers, because the store records what happened. */
class Members {
  readonly #tokens: string[] = [];
  readonly #client: AccountClient;

  constructor(private readonly baseUrl: string) {
    this.#client = new AccountClient(this.baseUrl, AT_A_TIME);
  }

  async register(): Promise<void> {
    const admin = await this.#client.login('admin', ADMIN_PASSWORD);
    for (let index = 0; index < MEMBERS; index++) {
      const username = `member-${index}`;
      const made = await this.#client.send('POST', '/api/admin/user/create', admin, { username, password: username });
      expect(made?.code).toBe(200);
      this.#tokens.push((await this.#client.login(username, username)) ?? '');
    }
  }

  /** Adds keys, one at a time for each member. */
  async addKeys(count: number): Promise<void> {
    const members = [...this.#tokens.entries()].values();
    const work = async () => {
      for (const [member, token] of members) {
        const share = Math.ceil((count - member) / MEMBERS);
        for (let key = 0; key < share; key++) await this.#add(token, `key ${key}`, `${member} ${key}`);
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
  }

  /** Adds and removes a key of the first member repeatedly until `isOver`. */
  async continueUntil(isOver: () => boolean): Promise<void> {
    const [token = ''] = this.#tokens;
    for (let round = 0; !isOver(); round++) {
      await this.#add(token, `live ${round}`, `live ${round}`);
      const { content } = await this.#client.get<{ content: ListedKey[] }>('/api/me/sshkey/list', token);
      for (const { id, title } of content) if (title.startsWith('live')) await this.#client.removeKey(token, id);
    }
  }

  close(): void {
    this.#client.close();
  }

  async #add(token: string, title: string, seed: string): Promise<void> {
    const answer = await this.#client.addKey(token, title, keyLine(seed).line);
    if (answer?.code !== 200) throw new Error(`${title} was not added: ${answer?.message}`);
  }
}

/** Only reading the feed depends on the store. */
describe.each([
  { store: 'SQLite', start: startOnSqlite, isEmbedded: true },
  { store: 'MongoDB', start: startOnMongodb, isEmbedded: false },
])('keyfold feed replay on $store', ({ start, isEmbedded }) => {
  let service: Service;
  let broker: FreshBroker;
  let env: ProcessEnv;
  let channel: Channel;
  let members: Members;
  /** Subscribed before the first event. */
  let live: EventListener;
  const ends: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    broker = await freshBroker();
    const { url } = broker;
    expect((await keyfold({ KEYFOLD_RABBITMQ_URL: url }, 'topology', 'apply')).out).toContain('created');
    const connection = await connect(url);
    ends.push(() => connection.close());
    channel = await connection.createChannel();
    await declare('live');
    await channel.bindQueue('live', 'keyfold.events', '#');
    live = await listenTo('live', url);
    service = await start({ KEYFOLD_RABBITMQ_URL: url });
    ends.push(service.dispose);
    env = { ...service.cli, KEYFOLD_RABBITMQ_URL: url };
    members = new Members(service.baseUrl);
    ends.push(async () => members.close());
    await members.register();
    await members.addKeys(EVENTS);
  });

  afterAll(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });

  const declare = (queue: string) =>
    channel.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'quorum' } });

  async function listenTo(queue: string, url = String(env['KEYFOLD_RABBITMQ_URL'])): Promise<EventListener> {
    const listener = await EventListener.open(url, queue);
    ends.push(() => listener.close());
    return listener;
  }

  const replay = (...args: readonly string[]) => keyfold(env, 'feed', 'replay', ...args);

  /** Returns the number of stored events, as the command counts them without a broker. */
  async function stored(...args: readonly string[]): Promise<number> {
    const { status, out, err } = await keyfold(service.cli, 'feed', 'replay', '--dry-run', ...args);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toMatch(/^event +would be sent$/m);
    return countIn(out);
  }

  it('only counts, and sends nothing, with --dry-run', async () => {
    await declare('late');
    const count = await stored('--queue', 'late');
    expect(count).toBeGreaterThan(EVENTS);
    await vi.waitUntil(() => live.received >= count, POLL);
    expect(live).toMatchObject({ received: count, replayed: 0, repeated: 0 });
    expect(await channel.get('late')).toBe(false);
  });

  it('sends each event to one queue once and in order, while others receive only new events', async () => {
    await declare('late');
    const late = await listenTo('late');
    const count = await stored();
    await vi.waitUntil(() => live.received >= count, POLL);
    const before = new Map([...live.firstSeen].map(([account, ids]) => [account, ids.length]));
    let isOver = false;
    const continuing = members.continueUntil(() => isOver);
    // Rethrown below.
    continuing.catch(() => undefined);
    const began = performance.now();
    const { status, out, err } = await replay('--queue', 'late').finally(() => (isOver = true));
    const seconds = (performance.now() - began) / 1_000;
    await continuing;
    expect({ status, err }).toEqual({ status: 0, err: '' });
    const sent = countIn(out);
    expect(sent).toBeGreaterThanOrEqual(count);
    await vi.waitUntil(() => late.received >= sent, POLL);
    const total = await stored();
    await vi.waitUntil(() => live.received >= total, POLL);
    console.log(`replay of ${sent} events in ${seconds.toFixed(1)} s, amid ${total - count} new events`);
    expect(total).toBeGreaterThan(count);
    expect(late).toMatchObject({ received: sent, replayed: sent, repeated: 0, redelivered: 0 });
    expect(live).toMatchObject({ received: total, replayed: 0, repeated: 0, redelivered: 0 });
    const wrong = [...before].filter(([account, known]) => {
      const [all, again] = [live.firstSeen.get(account) ?? [], late.firstSeen.get(account) ?? []];
      return again.length < known || again.join() !== all.slice(0, again.length).join();
    });
    expect(wrong).toEqual([]);
  });

  if (!isEmbedded) return;

  it('filters by account and type', async () => {
    await declare('chosen');
    const [account = '', ids = []] = [...live.firstSeen].find(([, of]) => of.length > EVENTS / MEMBERS / 2) ?? [];
    const choice = ['--account', account, '--type', 'ssh-key.added', '--queue', 'chosen'];
    const { status, out } = await replay(...choice);
    expect(status).toBe(0);
    const chosen = await listenTo('chosen');
    await vi.waitUntil(() => chosen.received >= countIn(out), POLL);
    expect([...chosen.firstSeen.keys()]).toEqual([account]);
    const [again = []] = chosen.firstSeen.values();
    expect(again.length).toBeGreaterThan(0);
    expect(again).toEqual(ids.filter((id) => again.includes(id)));
    expect(again.filter((id) => !id.startsWith(`ssh-keys-${account}:`))).toEqual([]);
  });

  it('reports an unknown queue or type', async () => {
    expect(await replay('--queue', 'nobody')).toEqual({
      status: 1,
      out: '',
      err: 'RabbitMQ has no queue nobody. The subscriber must declare it first\n',
    });
    const { status, out, err } = await replay('--queue', 'nobody', '--type', 'ssh-key.stolen');
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain('unknown event type ssh-key.stolen. Known types: account.registered, ');
  });

  it('needs no permission but to publish to queues, and reports it if it is missing', async () => {
    await declare('allowed');
    const replayAs = async (write: string) => {
      const address = await limitedUser(broker, { write });
      return keyfold({ ...env, KEYFOLD_RABBITMQ_URL: address }, 'feed', 'replay', '--queue', 'allowed');
    };
    expect(await replayAs('^amq\\.default$')).toMatchObject({ status: 0, err: '' });
    const { status, err } = await replayAs('^$');
    expect({ status, lines: err.trim().split('\n').length }).toEqual({ status: 1, lines: 1 });
    expect(err).toMatch(/^keyfold: .* access to exchange 'amq\.default' .*: grant the user the permissions/);
  });

  it('fails if the queue is deleted during the replay, and live events continue', async () => {
    await declare('doomed');
    const doomed = await listenTo('doomed');
    const running = startKeyfold(env, 'feed', 'replay', '--queue', 'doomed');
    await vi.waitUntil(() => doomed.received > 0, POLL);
    await channel.deleteQueue('doomed');
    const { status, out, err } = await running.result;
    expect({ status, err }).toEqual({ status: 1, err: 'keyfold: queue doomed was deleted during the replay\n' });
    expect(countIn(out)).toBeLessThan(await stored());
    const before = live.received;
    await members.continueUntil(() => live.received > before);
    expect(live).toMatchObject({ replayed: 0, repeated: 0 });
  });
});

/** Returns the count in the last line of the table. */
function countIn(out: string): number {
  const [, count] = /^all +(\d+)$/m.exec(out) ?? [];
  if (count === undefined) throw new Error(`no count in: ${out}`);
  return Number(count);
}
