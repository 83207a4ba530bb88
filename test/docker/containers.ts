import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { serviceOf, type Deployment } from './deployment.js';

const EXAMPLE = readFileSync(resolve(import.meta.dirname, '../../deploy/prometheus/prometheus.example.yml'), 'utf8');

/** Declares the tests of what a container may do, use and reach. */
export function itIsConfined(of: () => Deployment): void {
  it.each(['mongo', 'rabbitmq', 'amqp', 'gateway', 'worker', 'balancer'])(
    'of %s runs without root, without rights and unable to change its files',
    async (service) => {
      const script = 'id -u; grep -E "CapEff|NoNewPrivs|Seccomp:" /proc/1/status; touch /changed 2>&1 || true';
      const { output } = await of().exec(service, 'sh', '-c', script);
      expect(output).not.toMatch(/^0$/m);
      expect(output).toMatch(/CapEff:\s+0+$/m);
      expect(output).toMatch(/NoNewPrivs:\s+1$/m);
      expect(output).toMatch(/Seccomp:\s+2$/m);
      expect(output).toContain('Read-only file system');
    },
  );

  it.each([
    ['mongo', 2 ** 31, 2_000],
    ['rabbitmq', 2 ** 30, 1_000],
    ['gateway', 2 ** 30, 200],
    ['worker', 2 ** 30, 200],
    ['balancer', 2 ** 28, 200],
    ['amqp', 2 ** 27, 200],
  ])('of %s is limited by the kernel to %i bytes of memory and %i processes', async (service, memory, processes) => {
    const read =
      'cd /sys/fs/cgroup; cat memory.max pids.max 2>/dev/null || cat memory/memory.limit_in_bytes pids/pids.max';
    const { output } = await of().exec(service, 'sh', '-c', read);
    expect(output.trim().split('\n').map(Number)).toEqual([memory, processes]);
  });

  it.each([
    ['balancer', 'mongo', 'data', 27_017],
    ['balancer', 'rabbitmq', 'messages', 5_672],
    ['gateway', 'rabbitmq', 'messages', 5_672],
    ['balancer', 'gateway', 'servers', 5_245],
  ])('of %s cannot reach %s', async (from, to, network, port) => {
    const [host] = await of().addresses(to, network);
    const reach = (service: string) =>
      of().exec(service, 'bash', '-c', `timeout 1 bash -c '</dev/tcp/${host}/${port}'`);
    expect((await reach(to)).code).toBe(0);
    expect((await reach(from)).code).not.toBe(0);
  });

  it('of a subscriber reaches AMQP and no other port', async () => {
    const [broker] = await of().addresses('rabbitmq', 'messages');
    const [worker] = await of().addresses('worker', 'messages');
    const ports = [4_369, 5_672, 15_672, 15_692, 25_672];
    const closed = [...ports.map((port) => `${broker}:${port}`), `${worker}:9464`, 'amqp:15672'];
    const script = `for each in amqp:5672 ${closed.join(' ')}; do
      timeout 1 bash -c "</dev/tcp/\${each%:*}/\${each#*:}" 2>/dev/null && echo $each; done; true`;
    expect(await inNetworks(['subscribers'], 'bash', '-c', script)).toBe('amqp:5672\n');
  });

  it('of Prometheus finds every process in the networks that its example names', async () => {
    const networks = [...EXAMPLE.matchAll(/keyfold_(\w+)/g)].map(([, name = '']) => name);
    const script = `const { resolve4 } = require('node:dns/promises');
      (async () => { for (const name of ['gateway:9464', 'worker:9464', 'rabbitmq:15692']) {
        const [host, port] = name.split(':');
        const found = (await resolve4(host)).map((each) => fetch('http://' + each + ':' + port + '/metrics'));
        console.log(host, ...(await Promise.all(found)).map(({ status }) => status));
      } })()`;
    const found = 'gateway 200 200 200\nworker 200 200\nrabbitmq 200\n';
    expect(await inNetworks(networks, 'node', '--eval', script)).toBe(found);
  });

  /** Runs a program in a new container of the image that is only in these networks. Returns its output. */
  async function inNetworks(networks: readonly string[], program: string, ...words: readonly string[]) {
    const { Config } = await of().container('gateway');
    const options = ['--rm', ...networks.map((name) => `--network=${of().network(name)}`), `--entrypoint=${program}`];
    return of().expectSuccess('docker', 'run', ...options, Config.Image, ...words);
  }

  it('publishes a port only if it is the load balancer', async () => {
    const published = (await of().containers()).flatMap(({ Config, NetworkSettings: { Ports } }) =>
      Object.entries(Ports).flatMap(([port, hosts]) => (hosts ? [`${serviceOf({ Config })} ${port}`] : [])),
    );
    expect(published).toEqual(['balancer 5244/tcp']);
  });
}
