import { MongoInstance } from 'mongodb-memory-server-core';
import mongoose, { type mongo } from 'mongoose';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastingPort } from '../lasting-port.js';
import { needs } from '../needs.js';
import { findMongod } from '../programs.js';

await needs('mongod');

/** Tests hold little data, and only support cases need diagnostics. */
const ARGUMENTS = ['--quiet', '--wiredTigerCacheSizeGB=0.25', '--setParameter=diagnosticDataCollectionEnabled=false'];
const LAUNCH_MS = 60_000;

/** A mongod process whose port and temporary folder survive restarts. It ends with this process, however it ends. */
export class Mongod {
  private constructor(
    readonly port: number,
    private readonly folder: string,
    private readonly instance: MongoInstance,
  ) {}

  /** Starts a mongod that waits to join a replica set, or a standalone one; `further` are more arguments of mongod. */
  static async start(replicaSet: string | undefined, ...further: readonly string[]): Promise<Mongod> {
    // The library would warn that the binary is not the version that it would have downloaded.
    process.env['MONGOMS_SYSTEM_BINARY_VERSION_CHECK'] = 'false';
    const [port, folder] = await Promise.all([lastingPort(), newDataFolder()]);
    const instance = new MongoInstance({
      binary: { systemBinary: mongodBinary().path },
      instance: {
        port,
        dbPath: folder,
        ip: '127.0.0.1',
        ...(replicaSet !== undefined && { replSet: replicaSet }),
        storageEngine: 'wiredTiger',
        args: [...ARGUMENTS, ...further],
        launchTimeout: LAUNCH_MS,
      },
    });
    await instance.start();
    return new Mongod(port, folder, instance);
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Returns the address of a database for a client of this node only. */
  uri(database = ''): string {
    return `mongodb://${this.address}/${database}?directConnection=true`;
  }

  get isRunning(): boolean {
    return this.instance.mongodProcess?.exitCode === null && this.instance.mongodProcess.signalCode === null;
  }

  /** Kills the process (SIGKILL), like a power failure. */
  async kill(): Promise<void> {
    const { mongodProcess } = this.instance;
    if (!mongodProcess || !this.isRunning) return;
    const ended = new Promise((end) => mongodProcess.once('close', end));
    mongodProcess.kill('SIGKILL');
    await ended;
    await this.instance.stop();
  }

  /** Starts it again after `kill`. */
  async restart(): Promise<void> {
    await this.instance.start();
  }

  /** Freezes the process with its sockets open (SIGSTOP), until `thaw`. */
  freeze(): void {
    this.instance.mongodProcess?.kill('SIGSTOP');
  }

  thaw(): void {
    this.instance.mongodProcess?.kill('SIGCONT');
  }

  /** Runs an administration command on this node. Throws if it does not answer within `timeout` ms. */
  async command(command: mongo.Document, timeout = 10_000): Promise<mongo.Document> {
    const client = new mongoose.mongo.MongoClient(this.uri(), {
      serverSelectionTimeoutMS: timeout,
      connectTimeoutMS: timeout,
      socketTimeoutMS: timeout,
    });
    try {
      return await client.db('admin').command(command);
    } finally {
      await client.close();
    }
  }

  /** Kills the process and removes its data. */
  async dispose(): Promise<void> {
    await this.kill();
    await removeFolder(this.folder);
  }
}

/** Returns a mongod that runs on this machine, and a description for the log. Throws if this machine has none. */
export function mongodBinary(): Readonly<{ path: string; description: string }> {
  const path = findMongod();
  if (path === undefined) throw new Error('MongoDB was not found: set MONGODB_URI or run "npm run test:setup"');
  const [, version = ''] = /db version v(\S+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' })) ?? [];
  return { path, description: `mongod ${version} from ${path}` };
}

const PREFIX = 'keyfold-mongod-';

/** Creates a data folder for a mongod. Removes the folders of killed test runs. */
async function newDataFolder(): Promise<string> {
  await removeAbandoned();
  return mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
}

const removeFolder = (folder: string) => rm(folder, { recursive: true, force: true, maxRetries: 5 });

/** Removes folders whose process is gone; the name contains its id. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length)) : Number.NaN;
    if (owner > 0 && !isAlive(owner)) await removeFolder(join(tmpdir(), name));
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
