import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readComposeFile, type ComposeFile, type Service } from './compose-file.js';
import { planOf } from './container-plan.js';
import { Container } from './container.js';
import { builtImage, officialImage, type Image } from './images.js';
import { startNameServer } from './name-server.js';
import { makeNamespace, removeLeftovers, removeNamespace, runFolder } from './namespaces.js';
import { Networks } from './networks.js';
import { requirePrograms } from './run-program.js';
import { Visitor } from './visitor.js';

/** How many containers of a service; one where it is not named. */
export type Scale = Readonly<Record<string, number>>;
type Placed = { container: Container; service: string; addresses: Map<string, string>; wanted: boolean };

const PATIENCE_MS = 180_000;
const LOOK_MS = 50;

/**
 * Runs a `docker-compose.yml` without a Docker engine: the same processes with the same commands, environment, secrets, mounts, users,
 * networks, names, order and health checks. Needs root.
 */
export class ComposeProject {
  readonly #placed: Placed[] = [];
  readonly #images = new Map<string, Promise<Image>>();
  readonly #visitors: Visitor[] = [];
  #scale: Scale = {};

  private constructor(
    private readonly folder: string,
    private readonly run: string,
    readonly file: ComposeFile,
    private readonly networks: Networks,
  ) {}

  /** Of a folder with a `docker-compose.yml`; nothing runs yet. Throws one line when this machine cannot. */
  static async create(folder: string): Promise<ComposeProject> {
    await requirePrograms();
    await removeLeftovers();
    await mkdir(runFolder, { recursive: true });
    const file = readComposeFile(folder);
    return new ComposeProject(folder, runFolder, file, await Networks.create(file.networks, runFolder));
  }

  /**
   * `docker compose up --detach --wait`: starts what does not run in the order that the file asks for, and waits until everything is
   * healthy. What runs is left alone; surplus containers go. Throws with the last words of what failed.
   */
  async up(scale: Scale = {}): Promise<void> {
    this.#scale = scale;
    const ready = new Map<string, Promise<void>>();
    const make = (name: string): Promise<void> => {
      const making = ready.get(name) ?? this.#upService(name, make);
      ready.set(name, making);
      return making;
    };
    await Promise.all(Object.keys(this.file.services).map(make));
    await Promise.all(Object.keys(this.file.services).map((name) => this.#untilServing(name)));
  }

  /** `docker compose stop`: who needs a service ends before it. Answers the exit codes by container. */
  async stop(): Promise<Map<string, number>> {
    const codes = new Map<string, number>();
    const waiting = new Set(Object.keys(this.file.services));
    while (waiting.size > 0) {
      const needed = new Set([...waiting].flatMap((name) => Object.keys(this.#service(name).depends_on)));
      const free = [...waiting].filter((name) => !needed.has(name));
      const running = this.#placed.filter(({ service, container }) => free.includes(service) && container.isRunning);
      await Promise.all(running.map(async (placed) => codes.set(placed.container.name, await this.#stop(placed))));
      for (const name of free) waiting.delete(name);
    }
    return codes;
  }

  containers(service: string): Container[] {
    return this.#placed.filter((each) => each.service === service).map(({ container }) => container);
  }

  /** The addresses of a service in a network, one for each container. */
  addresses(service: string, network: string): string[] {
    const ofService = this.#placed.filter((each) => each.service === service);
    return ofService.flatMap(({ addresses }) => addresses.get(network) ?? []);
  }

  /** `docker restart` of one container, and then until it is healthy. Answers the exit code that it ended with. */
  async restart(container: Container): Promise<number> {
    const placed = this.#placedOf(container);
    const code = await this.#stop(placed);
    await this.#start(placed);
    await this.#untilHealthy([container]);
    return code;
  }

  /** Somebody who joins networks of the file, as a service of another project would. */
  async visitor(name: string, networks: readonly string[]): Promise<Visitor> {
    const connect = async (namespace: string) => {
      for (const network of networks) await this.networks.connect(namespace, network);
    };
    return this.#remember(await Visitor.create(name, this.folder, connect));
  }

  /** The rest of the world, with clients of these networks. It reaches who publishes a port, and nobody else. */
  async world(clients: readonly string[]): Promise<Visitor> {
    const become = (namespace: string) => this.networks.becomeWorld(namespace, clients);
    return this.#remember(await Visitor.create('world', this.folder, become));
  }

  /** What every container is and last said. */
  async description(): Promise<string> {
    return (await Promise.all(this.#placed.map(({ container }) => container.description()))).join('\n');
  }

  /** Ends everything at once and removes all of it. */
  async dispose(): Promise<void> {
    for (const placed of this.#placed) placed.wanted = false;
    await Promise.all(this.#placed.map(({ container }) => container.kill()));
    await Promise.all(this.#visitors.map((visitor) => visitor.dispose()));
    for (const { container } of this.#placed) await removeNamespace(container.plan.namespace);
    await this.networks.dispose();
    await rm(this.run, { recursive: true, force: true, maxRetries: 5 });
  }

  async #upService(name: string, make: (name: string) => Promise<void>): Promise<void> {
    const service = this.#service(name);
    for (const [dependency, { condition }] of Object.entries(service.depends_on)) {
      await make(dependency);
      if (condition === 'service_healthy') await this.#untilHealthy(this.containers(dependency));
      else if (condition === 'service_completed_successfully') await this.#untilCompleted(dependency);
    }
    const count = this.#scale[name] ?? 1;
    const there = () => this.#placed.filter((each) => each.service === name);
    for (const surplus of there().slice(count)) await this.#remove(surplus);
    while (there().length < count) this.#placed.push(await this.#place(name, service, there().length + 1));
    const idle = there().filter(({ container }) => !container.isRunning);
    await Promise.all(idle.map((placed) => this.#start(placed)));
  }

  /** Long-running services are healthy, the others are done. */
  async #untilServing(name: string): Promise<void> {
    if (this.#service(name).restart === 'no') await this.#untilCompleted(name);
    else await this.#untilHealthy(this.containers(name));
  }

  async #place(name: string, service: Service, index: number): Promise<Placed> {
    const image = await this.#image(service);
    const whole = `${this.file.name}-${name}-${index}`;
    const namespace = await makeNamespace(`${name}-${index}`);
    const addresses = new Map<string, string>();
    for (const [network, { ipv4_address }] of Object.entries(service.networks))
      addresses.set(network, await this.networks.connect(namespace, network, ipv4_address));
    if (service.ports.length > 0) addresses.set('world', await this.networks.publish(namespace));
    await startNameServer(namespace, this.networks, Object.keys(service.networks));
    const places = { project: this.folder, run: this.run };
    const placed = { name: whole, namespace, addresses: [...addresses.values()] };
    const plan = await planOf(this.file, service, image, placed, places);
    return { container: new Container(plan), service: name, addresses, wanted: false };
  }

  async #start(placed: Placed): Promise<void> {
    placed.wanted = true;
    await placed.container.start();
    await this.#setName(placed, true);
    void this.#restartWhenEnded(placed, placed.container.starts);
  }

  async #stop(placed: Placed): Promise<number> {
    placed.wanted = false;
    const code = await placed.container.stop();
    await this.#setName(placed, false);
    return code;
  }

  async #remove(placed: Placed): Promise<void> {
    await this.#stop(placed);
    this.#placed.splice(this.#placed.indexOf(placed), 1);
    await removeNamespace(placed.container.plan.namespace);
  }

  /** What `restart: unless-stopped` means. */
  async #restartWhenEnded(placed: Placed, start: number): Promise<void> {
    await placed.container.ended();
    if (!placed.wanted || placed.container.starts !== start) return;
    await this.#setName(placed, false);
    if (this.#service(placed.service).restart === 'no') return;
    await pause(1_000, undefined, { ref: false });
    if (placed.wanted && !placed.container.isRunning) await this.#start(placed);
  }

  async #setName({ service, addresses }: Placed, present: boolean): Promise<void> {
    for (const [network, address] of addresses) {
      if (network in this.file.networks) await this.networks.setName(network, service, address, present);
    }
  }

  async #untilHealthy(containers: readonly Container[]): Promise<void> {
    const isDue = (each: Container) => each.plan.healthcheck !== undefined && each.health !== 'healthy';
    const deadline = performance.now() + PATIENCE_MS;
    for (let due = containers.filter(isDue); due.length > 0; due = due.filter(isDue)) {
      const failed = due.find(({ health, isRunning }) => health === 'unhealthy' || !isRunning);
      if (failed) throw new Error(`not healthy: ${await failed.description()}`);
      if (performance.now() > deadline) throw new Error(`not healthy in time: ${await due[0]?.description()}`);
      await pause(LOOK_MS);
    }
  }

  async #untilCompleted(service: string): Promise<void> {
    for (const container of this.containers(service)) {
      if ((await container.ended()) !== 0) throw new Error(`failed: ${await container.description()}`);
    }
  }

  #image({ image, build }: Service): Promise<Image> {
    const made = this.#images.get(image) ?? this.#makeImage(image, build?.dockerfile);
    this.#images.set(image, made);
    return made;
  }

  async #makeImage(reference: string, dockerfile: string | undefined): Promise<Image> {
    const folder = join(this.run, 'images', reference.replace(/\W/g, '-'));
    await mkdir(folder, { recursive: true });
    return dockerfile === undefined ? officialImage(reference, folder) : builtImage(dockerfile, folder);
  }

  #service(name: string): Service {
    const service = this.file.services[name];
    if (!service) throw new Error(`there is no service ${name}`);
    return service;
  }

  #placedOf(container: Container): Placed {
    const placed = this.#placed.find((each) => each.container === container);
    if (!placed) throw new Error(`${container.name} is gone`);
    return placed;
  }

  #remember(visitor: Visitor): Visitor {
    this.#visitors.push(visitor);
    return visitor;
  }
}
