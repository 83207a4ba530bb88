import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceNetwork } from './compose-file.js';
import { makeNamespace, removeNamespace } from './namespaces.js';
import { run } from './run-program.js';

/** The subnets that Docker would choose. They contain no address of a test client. */
const CHOSEN_SUBNET = (index: number) => `172.29.${index}.0/24`;
/** The network outside the project. A container that publishes a port has an address in it. */
const WORLD = { name: 'world', subnet: '198.51.100.0/24', gateway: '198.51.100.1' } as const;

type Bridge = { device: string; prefix: string; mask: string; next: number; names: Map<string, Set<string>> };

/** The networks of a compose file: one bridge each, and the names under which containers find each other. */
export class Networks {
  readonly #bridges = new Map<string, Bridge>();
  /** Called when names change. */
  readonly #listeners = new Set<() => void>();
  #cables = 0;

  private constructor(
    private readonly namespace: string,
    private readonly folder: string,
  ) {}

  static async create(networks: Readonly<Record<string, ServiceNetwork>>, folder: string): Promise<Networks> {
    const created = new Networks(await makeNamespace('switch'), folder);
    for (const [name, { ipam }] of Object.entries(networks)) {
      const { subnet, ip_range } = ipam?.config[0] ?? {};
      await created.#addBridge(name, subnet ?? CHOSEN_SUBNET(created.#bridges.size), ip_range);
    }
    await created.#addBridge(WORLD.name, WORLD.subnet);
    return created;
  }

  /** Connects a namespace to a network with this address, or the next free one. Returns the address. */
  async connect(namespace: string, network: string, wanted?: string): Promise<string> {
    const bridge = this.#bridge(network);
    const address = wanted ?? `${bridge.prefix}${bridge.next++}`;
    const cable = `cable${this.#cables++}`;
    const device = `eth-${network}`.slice(0, 15);
    await run(
      'ip',
      'link',
      'add',
      cable,
      'netns',
      this.namespace,
      'type',
      'veth',
      'peer',
      'name',
      device,
      'netns',
      namespace,
    );
    await run('ip', '-n', this.namespace, 'link', 'set', cable, 'master', bridge.device, 'up');
    await run('ip', '-n', namespace, 'addr', 'add', `${address}/${bridge.mask}`, 'dev', device);
    await run('ip', '-n', namespace, 'link', 'set', device, 'up');
    return address;
  }

  /** Connects a namespace to the outside network, which also routes its answers. Returns its address there. */
  async publish(namespace: string): Promise<string> {
    const address = await this.connect(namespace, WORLD.name);
    await run('ip', '-n', namespace, 'route', 'add', 'default', 'via', WORLD.gateway);
    return address;
  }

  /** Makes a namespace the outside world, with clients in these networks. */
  async becomeWorld(namespace: string, clients: readonly string[]): Promise<void> {
    await this.connect(namespace, WORLD.name, WORLD.gateway);
    for (const subnet of clients) await run('ip', '-n', namespace, 'route', 'add', 'local', subnet, 'dev', 'lo');
  }

  /** Adds an address to a name, or removes it. */
  async setName(network: string, name: string, address: string, present: boolean): Promise<void> {
    const { names } = this.#bridge(network);
    const addresses = names.get(name) ?? new Set();
    names.set(name, addresses);
    if (present) addresses.add(address);
    else addresses.delete(address);
    const lines = [...names].flatMap(([each, known]) => [...known].map((one) => `${one} ${each}\n`));
    await writeFile(this.namesFile(network), lines.join(''));
    for (const listener of this.#listeners) listener();
  }

  /** Returns the names of a network in the format of `/etc/hosts`. */
  namesFile(network: string): string {
    return join(this.folder, `names-${network}`);
  }

  onNames(listener: () => void): void {
    this.#listeners.add(listener);
  }

  async dispose(): Promise<void> {
    await removeNamespace(this.namespace);
  }

  async #addBridge(name: string, subnet: string, range = subnet): Promise<void> {
    const [, prefix = ''] = /^(\d+\.\d+\.\d+\.)0\/24$/.exec(subnet) ?? [];
    if (prefix === '') throw new Error(`the runner requires a /24 subnet, not ${subnet}`);
    const first = Number(/\.(\d+)\/\d+$/.exec(range)?.[1]);
    const device = `bridge${this.#bridges.size}`;
    await run('ip', '-n', this.namespace, 'link', 'add', device, 'type', 'bridge');
    await run('ip', '-n', this.namespace, 'link', 'set', device, 'up');
    // Docker uses the first address of a network as the gateway.
    this.#bridges.set(name, { device, prefix, mask: '24', next: first + 2, names: new Map() });
    await writeFile(this.namesFile(name), '');
  }

  #bridge(network: string): Bridge {
    const bridge = this.#bridges.get(network);
    if (!bridge) throw new Error(`network ${network} does not exist`);
    return bridge;
  }
}
