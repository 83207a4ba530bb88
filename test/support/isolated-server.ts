import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { eventually } from './eventually.js';
import { needs } from './needs.js';

await needs('Linux namespaces (run the tests as root)');

/** A server in mount and process namespaces of its own, started by a shell script that ends with it. */
export class IsolatedServer {
  #log = '';

  private constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => (this.#log += text));
  }

  /** Starts a server that listens on this port of 127.0.0.1. */
  static async start(port: number, script: string, ...words: readonly string[]): Promise<IsolatedServer> {
    const namespaces = ['--mount', '--pid', '--fork'];
    const child = spawn('unshare', [...namespaces, 'sh', script, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(child);
    const server = new IsolatedServer(child);
    try {
      await eventually(async () => {
        if (child.exitCode !== null) throw new Error(`the server ended:\n${server.log}`);
        if (!(await isListening(port))) throw new Error(`the server is not listening:\n${server.log}`);
      });
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** Returns what the server and its script printed. */
  get log(): string {
    return this.#log;
  }

  /** Runs a program among the files of the server, as root. Throws if it fails. */
  async run(program: string, words: readonly string[], input: string): Promise<void> {
    const running = execFile('nsenter', ['--mount', `--target=${firstOf(this.child)}`, program, ...words]);
    running.stdin!.end(input);
    let errors = '';
    running.stderr!.on('data', (text: string) => (errors += text));
    const [status] = (await once(running, 'close')) as [number];
    if (status !== 0) throw new Error(`${program} failed:\n${errors}`);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, 'close');
      endNamespaces(this.child);
      await ended;
    }
    running.delete(this.child);
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Returns the id of the first process of the namespaces. */
const firstOf = ({ pid }: ChildProcess) =>
  Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')) || undefined;

/** Kills the first process, with which the kernel ends all others. Servers change their user, so no signal of the parent would reach them. */
function endNamespaces(child: ChildProcess): void {
  const first = firstOf(child);
  if (first !== undefined) process.kill(first, 'SIGKILL');
}

const running = new Set<ChildProcess>();
// Leaves no server behind if the test run ends early.
process.once('exit', () => running.forEach(endNamespaces));
