import type { Deployment } from './deployment.js';

const MOST = 100;
const FIRST_PORT = 10_000;

/** Runs in a container: each port forwards to the balancer from an address of its own. */
const RELAY = `
const { connect, createServer } = require('node:net');
for (let index = 1; index <= ${MOST}; index++) {
  createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    const far = connect({ host: 'balancer', port: 5244, localAddress: process.argv[1] + '.' + index, allowHalfOpen: true, noDelay: true });
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
    const network = (await deployment.addresses('balancer', 'outside'))[0]!.split('.').slice(0, 2).join('.');
    // Addresses that Docker assigns last.
    const prefix = `${network}.254`;
    const options = ['--detach', '--init', `--network=${deployment.network('outside')}`, '--entrypoint=node'];
    const container = (await docker('run', ...options, Config.Image, '--eval', RELAY, prefix)).trim();
    const add = `for index in $(seq ${MOST}); do busybox ip address add ${prefix}.$index/16 dev eth0; done`;
    const rights = ['--rm', `--network=container:${container}`, '--user=0', '--cap-add=NET_ADMIN', '--entrypoint=sh'];
    await docker('run', ...rights, balancer.Image, '-c', add);
    const format = `{{(index .NetworkSettings.Networks "${deployment.network('outside')}").IPAddress}}`;
    return new Clients(deployment, container, (await docker('inspect', '--format', format, container)).trim());
  }

  /** Returns a URL whose requests come from one address, the same for the same name. */
  urlFrom(name: string): string {
    if (!this.#names.includes(name)) this.#names.push(name);
    const index = this.#names.indexOf(name) + 1;
    if (index > MOST) throw new Error(`there are only ${MOST} clients`);
    return `http://${this.address}:${FIRST_PORT + index}`;
  }

  async dispose(): Promise<void> {
    await this.deployment.expectSuccess('docker', 'rm', '--force', this.container);
  }
}
