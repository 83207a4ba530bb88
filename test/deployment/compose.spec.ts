import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { itAnswersAsRecordedAtOneServer } from '../contract/replayed-recordings.js';
import { accountNamed, adminOf, createAccount } from '../support/accounts.js';
import type { Answer } from '../support/api-client.js';
import type { Container } from '../support/compose/container.js';
import { Audit } from './audit.js';
import { Deployment } from './deployment.js';
import { itServesFiles } from './sftp-sessions.js';
import { SteadyTraffic } from './steady-traffic.js';
import { until } from './until.js';

const SCALE = { gateway: 3, worker: 2 };
/**
 * The recordings whose answers depend on the load balancer: client addresses, unusual paths, methods and headers, and
 * sessions that every gateway accepts, even after a restart. `recordings-scaled.spec.ts` replays all recordings through
 * two gateways.
 */
const RECORDINGS = ['account/connectivity', 'account/lock', 'account/routing', 'account/tokens'];
const PORTS = [1936, 2222, 4369, 5244, 5245, 5672, 8404, 9464, 15_672, 15_692, 25_672, 27_017];

// All tests share one deployment, which takes half a minute to start. They run in the order of this file.
let deployment: Deployment;
beforeAll(async () => {
  deployment = await Deployment.start(SCALE);
}, 180_000);
afterAll(() => deployment?.dispose());

const of = (service: string) => deployment.project.containers(service);
const services = () => Object.keys(deployment.project.file.services);
const running = () =>
  services()
    .flatMap(of)
    .filter(({ isRunning }) => isRunning);

describe('the compose file', () => {
  it('starts three gateways, two workers, their databases and the load balancer from scratch', async () => {
    await deployment.untilBalanced();
    const healthy = running().filter(({ health }) => health === 'healthy');
    expect(healthy.map(({ name }) => name)).toEqual([
      'keyfold-mongo-1',
      'keyfold-rabbitmq-1',
      'keyfold-gateway-1',
      'keyfold-gateway-2',
      'keyfold-gateway-3',
      'keyfold-worker-1',
      'keyfold-worker-2',
      'keyfold-balancer-1',
      'keyfold-sshd-1',
    ]);
  });

  it.each(['mongo', 'rabbitmq', 'gateway', 'worker', 'balancer'])(
    'runs %s without root and unable to change its files',
    async (name) => {
      const script = 'id -u; grep CapEff /proc/self/status; touch /changed 2>&1 || true';
      const { output } = (await of(name)[0]?.exec(['sh', '-c', script])) ?? { output: '' };
      expect(output).not.toMatch(/^0$/m);
      expect(output).toMatch(/CapEff:\s+0+$/m);
      expect(output).toContain('Read-only file system');
    },
  );
});

describe('behind the load balancer', () => {
  itAnswersAsRecordedAtOneServer(
    async () => ({
      urls: [await deployment.urlFrom()],
      urlFrom: (address) => deployment.urlFrom(address),
      async restart() {
        await Promise.all(of('gateway').map((each) => deployment.project.restart(each)));
        await deployment.untilBalanced();
      },
      dispose: async () => {},
    }),
    RECORDINGS,
  );
});

describe('a client outside', () => {
  it('reaches the ports of the load balancer and of sshd, and nothing else', async () => {
    const { project, world } = deployment;
    expect(services().filter((name) => project.addresses(name, 'world').length > 0)).toEqual(['balancer', 'sshd']);
    const networks = ['world', ...Object.keys(project.file.networks)];
    const addresses = services().flatMap((name) => networks.flatMap((network) => project.addresses(name, network)));
    const open: string[] = [];
    for (const host of new Set(addresses)) {
      for (const port of PORTS) {
        const socket = await world.connect({ host, port }).catch(() => undefined);
        if (socket) open.push(`${host}:${port}`);
        socket?.destroy();
      }
    }
    const [[balancer], [sshd]] = [project.addresses('balancer', 'world'), project.addresses('sshd', 'world')];
    expect(open).toEqual([`${balancer}:5244`, `${sshd}:2222`]);
  });

  it('is known to the gateways by its real address, whatever address it claims', async () => {
    await createAccount(await adminOf(await deployment.apiFrom('192.0.2.1')), 'forged');
    const guesser = await deployment.apiFrom('192.0.2.7');
    const names = ['x-forwarded-for', 'x-real-ip', 'forwarded'];
    const lies = (index: number) =>
      Object.fromEntries(names.map((name) => [name, `${name === 'forwarded' ? 'for=' : ''}203.0.113.${index}`]));
    for (let index = 1; index <= 5; index++) {
      expect((await guesser.with(lies(index)).logIn('forged', 'wrong')).code).not.toBe(429);
    }
    expect((await guesser.with(lies(6)).logIn('forged', 'pw-forged')).code).toBe(429);
    const owner = await deployment.apiFrom('192.0.2.8');
    expect((await owner.with({ 'x-forwarded-for': '192.0.2.7' }).logIn('forged', 'pw-forged')).code).toBe(200);
  });
});

describe('sshd', () => {
  itServesFiles(() => deployment);
});

describe('without a gateway', () => {
  it('the load balancer answers in the format of the API and sends Retry-After', async () => {
    const api = await deployment.apiFrom('192.0.2.9');
    const restarted = Promise.all(of('gateway').map((each) => deployment.project.restart(each)));
    let answer: Answer | undefined;
    const isRefused = async () =>
      (answer = await api.get('/api/public/settings').catch(() => undefined))?.status === 503;
    await until(isRefused, 'the load balancer has no gateway');
    expect(answer?.outcome).toBe('503 no gateway is ready');
    expect(answer?.headers).toMatchObject({ 'retry-after': '1', 'content-type': 'application/json; charset=utf-8' });
    await restarted;
    await deployment.untilBalanced();
  });
});

describe('a container inside', () => {
  it.each([
    ['balancer', 'mongo', 'data', 27_017],
    ['balancer', 'rabbitmq', 'messages', 5_672],
    ['gateway', 'rabbitmq', 'messages', 5_672],
    ['sshd', 'mongo', 'data', 27_017],
    ['sshd', 'rabbitmq', 'messages', 5_672],
    ['balancer', 'gateway', 'servers', 5_245],
  ])('%s cannot reach %s', async (from, to, network, port) => {
    const [host] = deployment.project.addresses(to, network);
    const reach = async (container: Container | undefined) =>
      (await container?.exec(['bash', '-c', `timeout 1 bash -c '</dev/tcp/${host}/${port}'`]))?.code;
    expect(await reach(of(to)[0])).toBe(0);
    expect(await reach(of(from)[0])).not.toBe(0);
  });
});

/** The commands of the README, which Docker would run in a new container of the same service. */
describe('the operator', () => {
  it("replays to a subscriber's queue and compacts, with the settings and rights of a worker", async () => {
    const audit = await Audit.begin(deployment, 'operated');
    onTestFinished(() => audit.close());
    const command = async (...words: string[]) => (await of('worker')[0]?.exec(words)) ?? { code: -1, output: '' };
    const replayed = await command('node', 'run.mjs', 'feed', 'replay', '--queue', 'operated.every-event');
    expect(replayed.output).toMatch(/^account\.registered +[1-9]/m);
    expect(replayed.code, replayed.output).toBe(0);
    const compacted = await command('env', 'KEYFOLD_SESSION_DAYS=90', 'node', 'run.mjs', 'compact');
    expect(compacted.output).toContain('compacted 0 sessions');
    expect(compacted.code).toBe(0);
  });
});

describe('during client traffic', () => {
  let traffic: SteadyTraffic;
  beforeAll(async () => {
    traffic = await SteadyTraffic.begin(await deployment.urlFrom('192.0.2.20'));
  });
  afterAll(() => traffic?.close());

  /** Runs the work during traffic, then compares what clients were acknowledged with what a subscriber received. */
  async function expectNobodyNotices(name: string, work: () => Promise<void>): Promise<void> {
    const audit = await Audit.begin(deployment, name);
    onTestFinished(() => audit.close());
    traffic.takeAcknowledged();
    const { answered, failures } = await traffic.during(work);
    expect(failures).toEqual([]);
    expect(answered).toBeGreaterThan(100);
    expect(await audit.check(traffic.takeAcknowledged())).toEqual([]);
    console.log(`${name}: ${answered} requests answered, ${audit.count} events received`);
  }

  it('adding and removing a worker does not affect clients', () =>
    expectNobodyNotices('scaling', async () => {
      await deployment.project.up({ ...SCALE, worker: 3 });
      await deployment.project.up(SCALE);
    }));

  it('all gateways and workers restart one after another without a failed request or a lost event', () =>
    expectNobodyNotices('rolling', async () => {
      for (const gateway of of('gateway')) {
        expect(await deployment.project.restart(gateway)).toBe(0);
        await deployment.untilBalanced();
      }
      for (const worker of of('worker')) expect(await deployment.project.restart(worker)).toBe(0);
    }));
});

describe('a second start', () => {
  it('leaves the secrets and running containers unchanged', async () => {
    const secrets = async () => {
      const folder = join(deployment.folder, 'deploy/secrets');
      const names = (await readdir(folder)).toSorted();
      return Promise.all(names.map(async (name) => `${name} ${await readFile(join(folder, name), 'utf8')}`));
    };
    const processes = () => running().map(({ name, starts }) => `${name} ${starts}`);
    const before = { secrets: await secrets(), processes: processes() };
    await deployment.makeSecrets();
    await deployment.project.up(SCALE);
    expect({ secrets: await secrets(), processes: processes() }).toEqual(before);
    const admin = await adminOf(await deployment.apiFrom('192.0.2.30'));
    expect((await admin.get('/api/me')).code).toBe(200);
  });

  it('stops everything cleanly and starts again with its data', async () => {
    const codes = await deployment.project.stop();
    expect(codes.size).toBe(9);
    // 137 means killed after the grace period.
    expect([...codes].filter(([, code]) => code === 137)).toEqual([]);
    expect([...codes].filter(([name, code]) => /gateway|worker/.test(name) && code !== 0)).toEqual([]);
    await deployment.project.up(SCALE);
    await deployment.untilBalanced();
    const admin = await adminOf(await deployment.apiFrom('192.0.2.31'));
    expect((await accountNamed(admin, 'forged')).username).toBe('forged');
    const known = await of('sshd')[0]?.exec(['getent', 'passwd', 'reader']);
    expect(known?.output).toContain(':/srv/sftp/team/reader:');
  });
});
