import { MongoInstance } from 'mongodb-memory-server-core';
import mongoose, { type mongo } from 'mongoose';
import { lastingPort } from '../lasting-port.js';
import { mongodBinary } from './mongod-binary.js';
import { createMongodDataFolder, removeFolder } from './mongod-data-folder.js';

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

  /** Starts a mongod that waits to join a replica set; `further` are more arguments of mongod. */
  static async start(replicaSet: string, ...further: readonly string[]): Promise<Mongod> {
    // The library would warn that the binary is not the version that it would have downloaded.
    process.env['MONGOMS_SYSTEM_BINARY_VERSION_CHECK'] = 'false';
    const [port, folder] = await Promise.all([lastingPort(), createMongodDataFolder()]);
    const instance = new MongoInstance({
      binary: { systemBinary: mongodBinary().path },
      instance: {
        port,
        dbPath: folder,
        ip: '127.0.0.1',
        replSet: replicaSet,
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
