import type { Deployment } from './deployment.js';

const MOST = 100;
const FIRST_PORT = 10_000;

/** Runs in a container: each port forwards to the balancer from an address of its own. */
const RELAY = `
const { connect, createServer } = require('node:net');
for (const [index, localAddress] of process.argv.slice(1).entries()) {
  createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    const far = connect({ host: 'balancer', port: 5244, localAddress, allowHalfOpen: true, noDelay: true });
    near.pipe(far).pipe(near);
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
  }).listen(${FIRST_PORT} + index);
}`;

/** Clients with different addresses in the network outside, where only the balancer is. */
export class Clients {
  readonly #names: string[] = [];

  private constructor(
    private readonly deployment: Deployment,
    private readonly container: string,
    private readonly address: string,
  ) {}

  static async start(deployment: Deployment): Promise<Clients> {
    const docker = (...words: readonly string[]) => deployment.expectSuccess('docker', ...words);
    const { Config } = await deployment.container('gateway');
    const { Config: balancer } = await deployment.container('balancer');
    const network = deployment.network('outside');
    const subnet = await docker('network', 'inspect', '--format', '{{(index .IPAM.Config 0).Subnet}}', network);
    const addresses = lastAddresses(subnet.trim());
    const options = ['--detach', '--init', `--network=${network}`, '--entrypoint=node'];
    const container = (await docker('run', ...options, Config.Image, '--eval', RELAY, ...addresses)).trim();
    const prefix = subnet.trim().replace(/.*\//, '');
    const add = `for each in ${addresses.join(' ')}; do busybox ip address add $each/${prefix} dev eth0; done`;
    const rights = ['--rm', `--network=container:${container}`, '--user=0', '--cap-add=NET_ADMIN', '--entrypoint=sh'];
    await docker('run', ...rights, balancer.Image, '-c', add);
    const format = `{{(index .NetworkSettings.Networks "${network}").IPAddress}}`;
    return new Clients(deployment, container, (await docker('inspect', '--format', format, container)).trim());
  }

  /** Returns a URL whose requests come from one address, the same for the same name. */
  urlFrom(name: string): string {
    if (!this.#names.includes(name)) this.#names.push(name);
    const index = this.#names.indexOf(name);
    if (index >= MOST) throw new Error(`there are only ${MOST} clients`);
    return `http://${this.address}:${FIRST_PORT + index}`;
  }

  async dispose(): Promise<void> {
    await this.deployment.expectSuccess('docker', 'rm', '--force', this.container);
  }
}

/** Returns the addresses of an IPv4 subnet that Docker assigns last. */
function lastAddresses(subnet: string): string[] {
  const [address = '', prefix] = subnet.split('/');
  const first = address.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);
  // The last one is the broadcast address.
  const last = first + 2 ** (32 - Number(prefix)) - 2;
  return Array.from({ length: MOST }, (_, index) =>
    [24, 16, 8, 0].map((shift) => ((last - index) >>> shift) & 255).join('.'),
  );
}
