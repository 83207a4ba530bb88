import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readComposeFile, type ComposeFile, type Service } from './compose-file.js';
import { planOf } from './container-plan.js';
import { Container } from './container.js';
import { builtImage, officialImage, type Image } from './images.js';
import { startNameServer } from './name-server.js';
import { makeNamespace, removeLeftovers, removeNamespace, runFolder } from './namespaces.js';
import { Networks } from './networks.js';
import { requirePrograms } from './run-program.js';
import { sshdImage } from './sshd-image.js';
import { Visitor } from './visitor.js';

/** The number of containers of each service; services that are not listed get one. */
export type Scale = Readonly<Record<string, number>>;
type Instance = { container: Container; service: string; addresses: Map<string, string>; wanted: boolean };

const TIMEOUT_MS = 180_000;
const POLL_MS = 50;

/**
 * Runs a `docker-compose.yml` without Docker: with the same processes, commands, environment, secrets, mounts, users,
 * networks, names, order and health checks. Requires root.
 */
export class ComposeProject {
  readonly #instances: Instance[] = [];
  readonly #images = new Map<string, Promise<Image>>();
  readonly #visitors: Visitor[] = [];
  #scale: Scale = {};

  private constructor(
    private readonly folder: string,
    private readonly run: string,
    readonly file: ComposeFile,
    private readonly networks: Networks,
  ) {}

  /**
   * Prepares a folder with a `docker-compose.yml` and further files without starting anything. Rejects with a one-line
   * error if this machine cannot run containers.
   */
  static async create(folder: string, ...further: readonly string[]): Promise<ComposeProject> {
    await requirePrograms();
    await removeLeftovers();
    await mkdir(runFolder, { recursive: true });
    const file = readComposeFile(folder, ...further);
    return new ComposeProject(folder, runFolder, file, await Networks.create(file.networks, runFolder));
  }

  /**
   * Does what `docker compose up --detach --wait` does: starts missing containers in dependency order, removes surplus
   * ones and waits until all are healthy. Leaves running containers alone. Throws with the last output of what failed.
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

  /** Does what `docker compose stop` does: stops dependent services first. Returns the exit code of each container. */
  async stop(): Promise<Map<string, number>> {
    const codes = new Map<string, number>();
    const waiting = new Set(Object.keys(this.file.services));
    while (waiting.size > 0) {
      const needed = new Set([...waiting].flatMap((name) => Object.keys(this.#service(name).depends_on)));
      const free = [...waiting].filter((name) => !needed.has(name));
      const running = this.#instances.filter(({ service, container }) => free.includes(service) && container.isRunning);
      await Promise.all(
        running.map(async (instance) => codes.set(instance.container.name, await this.#stop(instance))),
      );
      for (const name of free) waiting.delete(name);
    }
    return codes;
  }

  containers(service: string): Container[] {
    return this.#instances.filter((each) => each.service === service).map(({ container }) => container);
  }

  /** Returns the addresses of a service in a network, one per container. */
  addresses(service: string, network: string): string[] {
    const ofService = this.#instances.filter((each) => each.service === service);
    return ofService.flatMap(({ addresses }) => addresses.get(network) ?? []);
  }

  /**
   * Does what `docker restart` does to one container and waits until it is healthy. Returns the exit code of its stop.
   */
  async restart(container: Container): Promise<number> {
    const instance = this.#instanceOf(container);
    const code = await this.#stop(instance);
    await this.#start(instance);
    await this.#untilHealthy([container]);
    return code;
  }

  /** Creates a client that joins networks of the file, like a service of another project. */
  async visitor(name: string, networks: readonly string[]): Promise<Visitor> {
    const connect = async (namespace: string) => {
      for (const network of networks) await this.networks.connect(namespace, network);
    };
    return this.#remember(await Visitor.create(name, this.folder, connect));
  }

  /** Creates clients outside the project, in these networks. They reach published ports only. */
  async world(clients: readonly string[]): Promise<Visitor> {
    const become = (namespace: string) => this.networks.becomeWorld(namespace, clients);
    return this.#remember(await Visitor.create('world', this.folder, become));
  }

  /** Returns the state and the last output of every container. */
  async description(): Promise<string> {
    return (await Promise.all(this.#instances.map(({ container }) => container.description()))).join('\n');
  }

  /** Kills everything and removes it. */
  async dispose(): Promise<void> {
    for (const instance of this.#instances) instance.wanted = false;
    await Promise.all(this.#instances.map(({ container }) => container.kill()));
    await Promise.all(this.#visitors.map((visitor) => visitor.dispose()));
    for (const { container } of this.#instances) await removeNamespace(container.plan.namespace);
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
    const there = () => this.#instances.filter((each) => each.service === name);
    for (const surplus of there().slice(count)) await this.#remove(surplus);
    while (there().length < count) this.#instances.push(await this.#create(name, service, there().length + 1));
    const idle = there().filter(({ container }) => !container.isRunning);
    await Promise.all(idle.map((instance) => this.#start(instance)));
  }

  /** Waits until a long-running service is healthy or a one-off service has completed. */
  async #untilServing(name: string): Promise<void> {
    if (this.#service(name).restart === 'no') await this.#untilCompleted(name);
    else await this.#untilHealthy(this.containers(name));
  }

  async #create(name: string, service: Service, index: number): Promise<Instance> {
    const image = await this.#image(service);
    const whole = `${this.file.name}-${name}-${index}`;
    const namespace = await makeNamespace(`${name}-${index}`);
    const addresses = new Map<string, string>();
    for (const [network, { ipv4_address }] of Object.entries(service.networks))
      addresses.set(network, await this.networks.connect(namespace, network, ipv4_address));
    if (service.ports.length > 0) addresses.set('world', await this.networks.publish(namespace));
    await startNameServer(namespace, this.networks, Object.keys(service.networks));
    const folders = { project: this.folder, run: this.run };
    const identity = { name: whole, namespace, addresses: [...addresses.values()] };
    const plan = await planOf(this.file, service, image, identity, folders);
    return { container: new Container(plan), service: name, addresses, wanted: false };
  }

  async #start(instance: Instance): Promise<void> {
    instance.wanted = true;
    await instance.container.start();
    await this.#setName(instance, true);
    void this.#restartWhenEnded(instance, instance.container.starts);
  }

  async #stop(instance: Instance): Promise<number> {
    instance.wanted = false;
    const code = await instance.container.stop();
    await this.#setName(instance, false);
    return code;
  }

  async #remove(instance: Instance): Promise<void> {
    await this.#stop(instance);
    this.#instances.splice(this.#instances.indexOf(instance), 1);
    await removeNamespace(instance.container.plan.namespace);
  }

  /** Implements `restart: unless-stopped`. */
  async #restartWhenEnded(instance: Instance, start: number): Promise<void> {
    await instance.container.ended();
    if (!instance.wanted || instance.container.starts !== start) return;
    await this.#setName(instance, false);
    if (this.#service(instance.service).restart === 'no') return;
    await sleep(1_000, undefined, { ref: false });
    if (instance.wanted && !instance.container.isRunning) await this.#start(instance);
  }

  async #setName({ service, addresses }: Instance, present: boolean): Promise<void> {
    for (const [network, address] of addresses) {
      if (network in this.file.networks) await this.networks.setName(network, service, address, present);
    }
  }

  async #untilHealthy(containers: readonly Container[]): Promise<void> {
    const isDue = (each: Container) => each.plan.healthcheck !== undefined && each.health !== 'healthy';
    const deadline = performance.now() + TIMEOUT_MS;
    for (let due = containers.filter(isDue); due.length > 0; due = due.filter(isDue)) {
      const failed = due.find(({ health, isRunning }) => health === 'unhealthy' || !isRunning);
      if (failed) throw new Error(`not healthy: ${await failed.description()}`);
      if (performance.now() > deadline) throw new Error(`not healthy in time: ${await due[0]?.description()}`);
      await sleep(POLL_MS);
    }
  }

  async #untilCompleted(service: string): Promise<void> {
    for (const container of this.containers(service)) {
      if ((await container.ended()) !== 0) throw new Error(`failed: ${await container.description()}`);
    }
  }

  #image({ image, build }: Service): Promise<Image> {
    const made = this.#images.get(image) ?? this.#makeImage(image, build);
    this.#images.set(image, made);
    return made;
  }

  async #makeImage(reference: string, build: Service['build']): Promise<Image> {
    const folder = join(this.run, 'images', reference.replace(/\W/g, '-'));
    await mkdir(folder, { recursive: true });
    if (build === undefined) return officialImage(reference, folder);
    return 'target' in build ? sshdImage(folder) : builtImage(build.dockerfile, folder);
  }

  #service(name: string): Service {
    const service = this.file.services[name];
    if (!service) throw new Error(`service ${name} does not exist`);
    return service;
  }

  #instanceOf(container: Container): Instance {
    const instance = this.#instances.find((each) => each.container === container);
    if (!instance) throw new Error(`${container.name} is gone`);
    return instance;
  }

  #remember(visitor: Visitor): Visitor {
    this.#visitors.push(visitor);
    return visitor;
  }
}
