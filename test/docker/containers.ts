import { expect, it } from 'vitest';
import { serviceOf, type Deployment } from './deployment.js';

/** Declares the tests of what a container may do, use and reach. */
export function itIsConfined(of: () => Deployment): void {
  it.each(['mongo', 'rabbitmq', 'gateway', 'worker', 'balancer'])(
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

  it('publishes a port only if it is the load balancer', async () => {
    const published = (await of().containers()).flatMap(({ Config, NetworkSettings: { Ports } }) =>
      Object.entries(Ports).flatMap(([port, hosts]) => (hosts ? [`${serviceOf({ Config })} ${port}`] : [])),
    );
    expect(published).toEqual(['balancer 5244/tcp']);
  });
}
