import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { itAnswersAsRecorded } from '../contract/replayed-recordings.js';
import { accountNamed, adminOf, createAccount } from '../support/accounts.js';
import { openConsole } from '../support/browser/console.js';
import { addFirstKey, signOut } from '../support/browser/first-key.js';
import { lookUpToken } from '../support/openssh/server-token.js';
import { Audit } from './audit.js';
import { itIsConfined } from './containers.js';
import { commandsOf } from './compose-commands.js';
import { Deployment, serviceOf } from './deployment.js';
import { itLosesNothing, itNeedsNoPause } from './operations.js';
import { itServesFiles } from './sftp-sessions.js';
import { itServesTls } from './tls-front.js';
import { until } from './until.js';

/**
 * The recordings whose answers depend on the load balancer: client addresses, unusual paths, methods and headers, and
 * sessions that every gateway accepts, even after a restart. `recordings-scaled.spec.ts` replays recordings through
 * two gateways.
 */
const RECORDINGS = ['account/connectivity', 'account/lock', 'account/routing', 'account/tokens'];

// All tests share one deployment, which takes half a minute to start. They run in the order of this file.
let deployment: Deployment;
beforeAll(async () => {
  deployment = await Deployment.start();
});
afterAll(() => deployment?.dispose());

describe('the commands of the guide', () => {
  it('start three gateways, two workers, their databases and the load balancer', async () => {
    const states = (await deployment.containers()).map((container) => {
      const { Health, Running, ExitCode } = container.State;
      return `${serviceOf(container)} ${Health?.Status ?? (Running ? 'running' : `ended with ${ExitCode}`)}`;
    });
    expect(states.toSorted()).toEqual([
      'amqp healthy',
      'balancer healthy',
      ...Array<string>(3).fill('gateway healthy'),
      'migrate ended with 0',
      'mongo healthy',
      'mongodb-setup ended with 0',
      'rabbitmq healthy',
      'topology ended with 0',
      ...Array<string>(2).fill('worker healthy'),
    ]);
  });

  it('repeated, leave secrets, settings and containers unchanged', async () => {
    const files = async () => {
      const folder = join(deployment.folder, 'deploy/secrets');
      const paths = [...(await readdir(folder)).map((name) => join(folder, name)), join(deployment.folder, '.env')];
      return Promise.all(paths.map(async (path) => `${path} ${await readFile(path, 'utf8')}`));
    };
    const running = async () => {
      const containers = await deployment.containers();
      return containers.filter(({ State }) => State.Running).map(({ Id, State }) => `${Id} ${State.StartedAt}`);
    };
    const before = [await files(), await running()];
    await deployment.expectSuccess('sh', 'deploy/make-secrets.sh');
    await deployment.up();
    expect([await files(), await running()]).toEqual(before);
  });

  it('build one image, with a date in its name and at most 250 MB', async () => {
    const format = '{{.Repository}}:{{.Tag}}';
    const label = `label=com.docker.compose.project=${deployment.project}`;
    const images = await deployment.expectSuccess('docker', 'image', 'ls', '--filter', label, '--format', format);
    expect(images).toMatch(/^keyfold:\d{8}-\d{6}\n$/);
    const { Image } = await deployment.container('gateway');
    const size = await deployment.expectSuccess('docker', 'image', 'inspect', '--format', '{{.Size}}', Image);
    expect(Number(size)).toBeLessThan(250e6);
  });
});

describe('a container', () => {
  itIsConfined(() => deployment);
});

describe('behind the load balancer', () => {
  itAnswersAsRecorded(
    async () => ({
      urls: [deployment.url],
      urlFrom: (address) => deployment.urlFrom(address),
      async restart() {
        await Promise.all((await deployment.containers('gateway')).map((each) => deployment.restart(each)));
        await deployment.untilBalanced();
      },
      dispose: async () => {},
    }),
    RECORDINGS,
  );

  it('the console signs in, adds a key and signs out', async () => {
    const page = await openConsole(deployment.url);
    await addFirstKey(page);
    await signOut(page);
  });

  it('the gateways know clients by their real addresses, whatever addresses they claim', async () => {
    await createAccount(await deployment.admin(), 'forged');
    const guesser = await deployment.apiFrom('guesser');
    const names = ['x-forwarded-for', 'x-real-ip', 'forwarded'];
    const lies = (index: number) =>
      Object.fromEntries(names.map((name) => [name, `${name === 'forwarded' ? 'for=' : ''}203.0.113.${index}`]));
    for (let index = 1; index <= 5; index++) {
      expect((await guesser.with(lies(index)).logIn('forged', 'wrong')).code).not.toBe(429);
    }
    expect((await guesser.with(lies(6)).logIn('forged', 'pw-forged')).code).toBe(429);
    const owner = await deployment.apiFrom('owner');
    expect((await owner.logIn('forged', 'pw-forged')).code).toBe(200);
  });
});

/** The commands of the guide, in new containers of a service. */
describe('the operator', () => {
  const command = (service: string, ...words: string[]) => deployment.compose('run', '--rm', '-T', service, ...words);

  it("replays to a subscriber's queue and compacts, with the settings and rights of a worker", async () => {
    const audit = await Audit.begin(deployment, 'operated');
    onTestFinished(() => audit.close());
    const replayed = await command('worker', 'feed', 'replay', '--queue', 'operated.every-event');
    expect(replayed.output).toMatch(/^account\.registered +[1-9]/m);
    expect(replayed.code, replayed.output).toBe(0);
    const setting = ['-e', 'KEYFOLD_SESSION_DAYS=90'];
    const compacted = await deployment.compose('run', '--rm', '-T', ...setting, 'migrate', 'compact');
    expect(compacted).toMatchObject({ code: 0, output: expect.stringContaining('compacted 0 sessions') });
  });

  it('verifies the database, lists the queues and reseals the secrets', async () => {
    expect(await command('migrate', 'verify')).toMatchObject({ code: 0 });
    expect(await command('topology', 'queue', 'list')).toMatchObject({ code: 0 });
    expect(await deployment.exec('gateway', 'keyfold', 'secrets', 'reseal')).toMatchObject({ code: 0 });
  });

  it('starts what is missing after an outage of RabbitMQ that workers noticed', async () => {
    await deployment.expectSuccess('docker', 'compose', 'stop', 'rabbitmq');
    const failures = async () => (await deployment.container('worker')).State.Health?.FailingStreak ?? 0;
    await until(async () => (await failures()) >= 3, 'a worker failed three health checks');
    expect(await deployment.compose('up', '--detach', '--wait')).toMatchObject({ code: 0 });
  });

  it('backs up and restores with the commands of the guide', async () => {
    await createAccount(await deployment.admin(), 'kept');
    const backup = join(deployment.folder, 'backup');
    const commands = commandsOf('Back up and restore', deployment.project);
    for (const each of commands) {
      const output = await deployment.expectSuccess('sh', '-c', each.replaceAll('/srv/keyfold-backup', backup));
      if (each.includes(' restore ')) expect(output).not.toContain('cannot check the sealing keys');
    }
    expect(commands.filter((each) => each.includes('/backup/keyfold'))).toHaveLength(3);
    await deployment.untilBalanced();
    expect((await accountNamed(await deployment.admin(), 'kept')).username).toBe('kept');
    expect(await command('migrate', 'verify')).toMatchObject({ code: 0 });
  });

  it('removes an override with its networks', async () => {
    const networks = async () => {
      const label = `label=com.docker.compose.project=${deployment.project}`;
      const names = await deployment.expectSuccess(
        'docker',
        'network',
        'ls',
        '--filter',
        label,
        '--format',
        '{{.Name}}',
      );
      return names.trim().split('\n').toSorted();
    };
    const before = await networks();
    // No registry has a stand-in for OpenList.
    const image = (await deployment.container('balancer')).Config.Image;
    const openlist = { image, entrypoint: ['sleep', 'infinity'], networks: ['openlist'] };
    const override = { services: { openlist }, networks: { openlist: {} } };
    await writeFile(join(deployment.folder, 'deploy/openlist/compose.yml'), JSON.stringify(override));
    await deployment.up({ COMPOSE_FILE: 'docker-compose.yml:deploy/openlist/compose.yml' });
    expect(await networks()).toHaveLength(before.length + 1);
    for (const each of commandsOf('Settings', deployment.project)) await deployment.expectSuccess('sh', '-c', each);
    expect(await networks()).toEqual(before);
    expect(await deployment.containers('openlist')).toEqual([]);
  });
});

describe('nobody notices', () => {
  itNeedsNoPause(() => deployment);
});

describe('nothing acknowledged is lost', () => {
  itLosesNothing(() => deployment);
});

describe('without a gateway', () => {
  it('the load balancer answers in the format of the API, sends Retry-After and logs JSON without the query', async () => {
    await deployment.expectSuccess('docker', 'compose', 'stop', 'gateway');
    const answer = await deployment.api.get('/api/public/settings?private=1');
    expect(answer.outcome).toBe('503 no gateway is ready');
    expect(answer.headers).toMatchObject({ 'retry-after': '1', 'content-type': 'application/json; charset=utf-8' });
    const logged = /^\{.*"path": "\/api\/public\/settings".*\}$/m;
    await until(async () => logged.test(await deployment.logs('balancer')), 'the request is logged');
    const [line = ''] = logged.exec(await deployment.logs('balancer')) ?? [];
    expect(JSON.parse(line)).toMatchObject({ method: 'GET', status: 503 });
    await deployment.up();
  });
});

describe('docker compose down', () => {
  it('stops everything cleanly, and up starts it again with its data', async () => {
    await deployment.expectSuccess('docker', 'compose', 'stop');
    const codes = (await deployment.containers()).map((each) => [serviceOf(each), each.State.ExitCode] as const);
    // 137 means killed after the grace period.
    expect(codes.filter(([, code]) => code === 137)).toEqual([]);
    expect(codes.filter(([name, code]) => /gateway|worker/.test(name) && code !== 0)).toEqual([]);
    await deployment.expectSuccess('docker', 'compose', 'down');
    await deployment.up();
    const admin = await adminOf(await deployment.apiFrom('later'));
    expect((await accountNamed(admin, 'forged')).username).toBe('forged');
  });
});

describe('sshd, which deploy/openssh/compose.yml adds', () => {
  beforeAll(async () => {
    const token = await lookUpToken(await deployment.admin());
    await writeFile(join(deployment.folder, 'deploy/secrets/ssh-token'), `${token}\n`, { mode: 0o444 });
    await deployment.up({ COMPOSE_FILE: 'docker-compose.yml:deploy/openssh/compose.yml' });
  });
  itServesFiles(() => deployment);
});

describe('TLS, which deploy/compose.tls.yml adds', () => {
  itServesTls(() => deployment);
});
