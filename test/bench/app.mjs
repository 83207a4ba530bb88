import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { createServer } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import manifest from '../../package.json' with { type: 'json' };

const MAIN = join(import.meta.dirname, '../../dist/apps/standalone/src/main.js');
/** The flags that `npm start` passes to Node. */
const NODE_FLAGS = manifest.scripts.start.split(' ').filter((word) => word.startsWith('--'));
const START_MS = 30_000;
/** Milliseconds between pings during startup, which is the error of the time to ready. */
const PING_EVERY = 3;

/** The administrator that the first start of the app creates. */
export const ADMIN = { username: 'admin', password: 'Adm1n-pass' };

/** A built app as a process. */
export class App {
  #process;

  constructor(child, url, readyMs) {
    this.#process = child;
    this.url = url;
    /** Milliseconds from the start of the process to its first answer. */
    this.readyMs = readyMs;
  }

  /** Starts the standalone app on a data folder, by default with the usual number of threads. */
  static async start(folder, threads, settings = {}) {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    return App.run([...NODE_FLAGS, MAIN], { ...environment(folder, port, threads), ...settings }, url, `${url}/ping`);
  }

  /** Runs Node with these arguments and settings until `readyUrl` answers with 200. */
  static async run(args, settings, url, readyUrl) {
    const started = performance.now();
    // Passes only the search path of the caller's environment.
    const env = { PATH: process.env.PATH, ...settings };
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
    running.add(child);
    child.once('exit', () => running.delete(child));
    while (!(await answers(readyUrl))) {
      if (child.exitCode !== null) throw new Error(`the app exited with ${child.exitCode} before it was ready`);
      if (performance.now() - started > START_MS) throw new Error('the app timed out before it was ready');
      await pause(PING_EVERY);
    }
    return new App(child, url, performance.now() - started);
  }

  get pid() {
    return this.#process.pid;
  }

  async stop() {
    const exited = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    await exited;
  }
}

const running = new Set();
// Leaves no server behind if a run ends early.
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** Trusts the forwarded header, so that each client can have its own address. */
const environment = (folder, port, threads) => ({
  KEYFOLD_HOST: '127.0.0.1',
  KEYFOLD_PORT: String(port),
  KEYFOLD_MANAGEMENT_PORT: '0',
  KEYFOLD_DATA_DIR: folder,
  KEYFOLD_ADMIN_PASSWORD: ADMIN.password,
  KEYFOLD_TRUSTED_PROXIES: '127.0.0.1',
  ...(threads && { KEYFOLD_THREADS: String(threads) }),
});

function answers(url) {
  return new Promise((resolve) => {
    const request = get(url, { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('error', () => resolve(false));
  });
}

let root;
/** Returns a new folder on the disk of this machine that is deleted when the process ends. */
export function temporaryFolder() {
  if (!root) {
    root = mkdtempSync(join(tmpdir(), 'keyfold-bench-'));
    process.once('exit', () => rmSync(root, { recursive: true }));
  }
  return mkdtempSync(join(root, 'data-'));
}

/** Returns a port of 127.0.0.1 that is free at the moment. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}
