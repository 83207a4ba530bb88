import { spawn, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import { eventually } from '../eventually.js';
import { lastingPort } from '../lasting-port.js';
import { needs } from '../needs.js';
import type { Manifest } from './kustomize.js';

await needs('etcd', 'kube-apiserver');

const TOKEN = 'the-administrator-of-a-test';

type ResourceList = Readonly<{ resources: readonly Readonly<{ name: string; kind: string; namespaced: boolean }>[] }>;

/** A Kubernetes API server with its own etcd. It checks and stores objects, but nothing acts on them: no pod starts. */
export class KubernetesApi {
  #log = '';
  #authority?: Buffer;

  private constructor(
    private readonly folder: string,
    private readonly port: number,
    private readonly children: readonly ChildProcess[],
  ) {
    for (const { stderr } of children) stderr!.setEncoding('utf8').on('data', (part: string) => (this.#log += part));
  }

  static async start(): Promise<KubernetesApi> {
    const [folder, port] = [await mkdtemp(join(tmpdir(), 'keyfold-kubernetes-')), await lastingPort()];
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    await writeFile(join(folder, 'accounts.key'), privateKey.export({ type: 'sec1', format: 'pem' }));
    await writeFile(join(folder, 'tokens.csv'), `${TOKEN},administrator,1,system:masters\n`, { mode: 0o600 });
    const run = (program: string, words: readonly string[]) =>
      spawn(program, words, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    const children = [run('etcd', ETCD), run('kube-apiserver', [...API_SERVER, `--secure-port=${port}`])];
    const api = new KubernetesApi(folder, port, children);
    running.add(api);
    await api.#ready().catch(async (error: unknown) => {
      await api.stop();
      throw error;
    });
    return api;
  }

  /**
   * Applies an object as `kubectl apply --server-side` does, and returns one line for each error and each warning.
   * Unknown fields are errors. A dry run checks everything but stores nothing.
   */
  async apply(manifest: Manifest, options: Readonly<{ dryRun: boolean }>): Promise<string[]> {
    const { kind, metadata } = manifest;
    const query = `fieldManager=test&fieldValidation=Strict${options.dryRun ? '&dryRun=All' : ''}`;
    const response = await this.#send(`${await this.#pathOf(manifest)}?${query}`, manifest);
    const { message } = (await json(response)) as { message?: string };
    const warnings = response.headersDistinct['warning'] ?? [];
    const errors = response.statusCode! < 300 ? [] : [message];
    return [...errors, ...warnings].map((problem) => `${kind} ${metadata.name}: ${problem}`);
  }

  /** Ends both processes and removes their files. */
  async stop(): Promise<void> {
    const ended = this.children.filter(isRunning).map((child) => once(child, 'close'));
    this.kill();
    await Promise.all(ended);
    running.delete(this);
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Kills both processes without waiting for their end. */
  kill(): void {
    for (const child of this.children) child.kill('SIGKILL');
  }

  async #ready(): Promise<void> {
    await eventually(async () => {
      if (!this.children.every(isRunning)) throw new Error(`etcd or kube-apiserver ended:\n${this.#log}`);
      // The server writes its certificate when it starts.
      this.#authority = await readFile(join(this.folder, 'certificates/apiserver.crt'));
      const response = await this.#send('/readyz');
      if ((await text(response)) !== 'ok') throw new Error(`the API server is not ready:\n${this.#log}`);
    });
  }

  async #pathOf({ apiVersion, kind, metadata }: Manifest): Promise<string> {
    const group = `${apiVersion === 'v1' ? '/api' : '/apis'}/${apiVersion}`;
    const { resources } = (await json(await this.#send(group))) as ResourceList;
    // The names of subresources contain a slash.
    const resource = resources.find((each) => each.kind === kind && !each.name.includes('/'));
    if (!resource) throw new Error(`${apiVersion} has no ${kind}`);
    const within = resource.namespaced ? `/namespaces/${metadata.namespace ?? 'default'}` : '';
    return `${group}${within}/${resource.name}/${metadata.name}`;
  }

  /** Sends an object to apply, or reads what the path names. */
  async #send(path: string, applied?: Manifest): Promise<IncomingMessage> {
    const sent = request(`https://127.0.0.1:${this.port}${path}`, {
      method: applied ? 'PATCH' : 'GET',
      ca: this.#authority,
      headers: { authorization: `Bearer ${TOKEN}`, ...(applied && { 'content-type': 'application/apply-patch+yaml' }) },
      signal: AbortSignal.timeout(30_000),
    });
    // JSON is valid YAML.
    const [response] = (await once(sent.end(applied && JSON.stringify(applied)), 'response')) as [IncomingMessage];
    return response;
  }
}

/** Paths are relative to the temporary folder, where etcd also creates its sockets. */
const ETCD = [
  '--data-dir=data',
  '--listen-client-urls=unix://localhost:1',
  '--advertise-client-urls=unix://localhost:1',
  '--listen-peer-urls=unix://localhost:2',
  '--unsafe-no-fsync',
];
const API_SERVER = [
  '--etcd-servers=unix://localhost:1',
  '--bind-address=127.0.0.1',
  // Otherwise the server needs a network. No client uses this address.
  '--advertise-address=192.0.2.1',
  '--endpoint-reconciler-type=none',
  '--cert-dir=certificates',
  '--token-auth-file=tokens.csv',
  '--service-account-issuer=https://kubernetes.default.svc',
  '--service-account-key-file=accounts.key',
  '--service-account-signing-key-file=accounts.key',
  '--service-cluster-ip-range=10.0.0.0/24',
  // This plugin rejects pods until a controller, which does not run here, has created their service account.
  '--disable-admission-plugins=ServiceAccount',
];

const isRunning = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null;

const running = new Set<KubernetesApi>();
// Leaves no server behind if the test run ends early.
process.once('exit', () => running.forEach((api) => api.kill()));
