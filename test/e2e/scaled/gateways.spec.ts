import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { adminOf, createAccount, newAddress, newMember } from '../../support/accounts.js';
import { type Answer, ApiClient } from '../../support/api-client.js';
import { keyLine } from '../../support/key-line.js';
import { logLines } from '../../support/log-lines.js';
import { readMetrics } from '../../support/metrics.js';
import { freshDatabaseUri } from '../../support/mongo/mongo-database.js';
import { migrate, ScaledService } from '../../support/scaled-service.js';
import { timesLength } from '../../support/test-length.js';
import { codeNow, enrol } from '../../support/two-factor.js';

const WRONG = '401 Invalid username or password';
const REFUSED =
  '429 Too many unsuccessful sign-in attempts have been made using an incorrect username or password, Try again later.';

describe('two gateways', () => {
  let service: ScaledService;
  let sides: readonly ApiClient[];
  let admin: ApiClient;

  beforeAll(async () => {
    service = await ScaledService.start(freshDatabaseUri(), { workers: 0 });
    sides = service.urls.map((url) => new ApiClient(url));
    admin = await adminOf(service.api());
  });

  afterAll(() => service?.dispose());

  /** Sends logins at once, alternating between the gateways. */
  const parallel = (count: number, login: (side: ApiClient) => Promise<Answer>) =>
    Promise.all(Array.from({ length: count }, (_, index) => login(sides[index % sides.length]!)));

  it.each(['besieged', 'no-such-name'])(
    'check at most 5 of 100 parallel wrong passwords for the account %s from one source',
    async (name) => {
      if (name === 'besieged') await createAccount(admin, name);
      const answers = await parallel(100, (side) => side.from(`198.51.100.${name.length}`).logIn(name, 'wrong'));
      const outcomes = Map.groupBy(answers, ({ outcome }) => outcome);
      expect([...outcomes.keys()].toSorted()).toEqual([WRONG, REFUSED]);
      // A wrong password is hashed before it is refused; a throttled one is not.
      expect(outcomes.get(WRONG)).toHaveLength(5);
      expect(outcomes.get(REFUSED)).toHaveLength(95);
    },
  );

  it('allow one source at most 50 wrong attempts over all accounts', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `name-${index}`);
    const answers = await parallel(60, (side) => side.from('198.51.100.40').logIn(names.pop() ?? '', 'wrong'));
    expect(answers.filter(({ outcome }) => outcome === WRONG)).toHaveLength(50);
    expect(answers.filter(({ outcome }) => outcome === REFUSED)).toHaveLength(10);
  });

  // With one source, nearly all logins are throttled. With many, each login costs a password hash.
  it.each<[number, string, () => string]>([
    [100, 'one source', () => '198.51.100.7'],
    [30, 'as many sources', newAddress],
  ])('create exactly one token for one code in %i logins at once from %s', async (count, source, addressOf) => {
    const name = `raced from ${source}`;
    const secret = await enrol(await newMember(admin, name));
    const code = codeNow(secret, 1);
    const answers = await parallel(count, (side) => side.from(addressOf()).logIn(name, `pw-${name}`, code));
    const [won, ...more] = answers.filter((answer) => answer.code === 200);
    expect(more).toEqual([]);
    const { token } = won!.data<{ token: string }>();
    for (const side of sides) expect((await side.as(token).get('/api/me')).data()).toMatchObject({ username: name });
    const others = answers.map((answer) => answer.code).filter((each) => each !== 200);
    expect(others.filter((each) => each !== 402 && each !== 429)).toEqual([]);
  });

  /** Sends 100 requests at once under one key, alternating between the gateways. Returns their outcomes. */
  async function keyed(client: ApiClient, path: string, body: object): Promise<string[]> {
    const send = (side: ApiClient) => side.as(client.token).with({ 'idempotency-key': 'same' }).post(path, body);
    return [...new Set((await parallel(100, send)).map(({ outcome }) => outcome))];
  }

  it('carry out one of 100 parallel requests under one key', async () => {
    const account = { username: 'created', password: 'pw' };
    expect(await keyed(admin, '/api/admin/user/create', account)).toEqual(['200 success']);
    const { content } = (await admin.get('/api/admin/user/list')).data<{ content: { username: string }[] }>();
    expect(content.filter(({ username }) => username === 'created')).toHaveLength(1);

    const member = await newMember(admin, 'member');
    const key = { title: 'laptop', key: keyLine('laptop').line };
    expect(await keyed(member, '/api/me/sshkey/add', key)).toEqual(['200 success']);
    expect((await member.get('/api/me/sshkey/list')).data<{ total: number }>().total).toBe(1);
  });
});

it('keys that two gateways add to one account in turn meet no conflict', async () => {
  const service = await ScaledService.start(freshDatabaseUri(), { workers: 0 });
  onTestFinished(() => service.dispose());
  const { token } = await newMember(await adminOf(service.api()), 'member');
  for (let turn = 0; turn < 4; turn++) {
    const key = { title: `key ${turn}`, key: keyLine(`key ${turn}`).line };
    const { outcome } = await service
      .api(turn % 2)
      .as(token)
      .post('/api/me/sshkey/add', key);
    expect(outcome).toBe('200 success');
  }
  for (const { managementUrl } of service.gateways)
    expect((await readMetrics(managementUrl)).get('keyfold_append_conflicts_total')).toBe(0);
});

it.each(Array.from({ length: timesLength(1) }, (_, index) => index + 1))(
  'gateways that start at once on an empty database log one password (try %i)',
  async () => {
    const uri = freshDatabaseUri();
    const env = { KEYFOLD_ADMIN_PASSWORD: undefined, KEYFOLD_LOG_LEVEL: 'warn' };
    const service = await ScaledService.create(uri, { gateways: 3, workers: 0, env });
    try {
      await migrate(uri);
      await service.startAll();
      const lines = service.gateways.flatMap((gateway) => logLines(gateway.output()));
      const passwords = new Set(lines.flatMap(({ password }) => password ?? []));
      expect(passwords.size, service.output()).toBe(1);
      const admin = await service.api(2).signedIn('admin', String([...passwords][0]));
      for (const url of service.urls) {
        const { content } = (await new ApiClient(url).as(admin.token).get('/api/admin/user/list')).data<{
          content: { username: string }[];
        }>();
        expect(content.map(({ username }) => username)).toEqual(['admin', 'guest']);
      }
    } finally {
      await service.dispose();
    }
  },
);
