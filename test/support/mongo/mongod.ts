import { MongoInstance } from 'mongodb-memory-server-core';
import mongoose, { type mongo } from 'mongoose';
import { lastingPort } from '../lasting-port.js';
import { mongodBinary } from './mongod-binary.js';
import { mongodFolder, removeFolder } from './mongod-folder.js';

/** Small, because tests hold little data; diagnostics are written for support cases only. */
const ARGUMENTS = ['--quiet', '--wiredTigerCacheSizeGB=0.25', '--setParameter=diagnosticDataCollectionEnabled=false'];
const LAUNCH_MS = 60_000;

/** A mongod process on a port and a temporary folder that stay the same over its starts. It ends with this process, however that ends. */
export class Mongod {
  private constructor(
    readonly port: number,
    private readonly folder: string,
    private readonly instance: MongoInstance,
  ) {}

  /** Starts one that waits to become a member of the replica set. `arguments` are further ones of mongod. */
  static async start(replicaSet: string, ...further: readonly string[]): Promise<Mongod> {
    // The library would print that the binary is not of the version that it would have fetched.
    process.env['MONGOMS_SYSTEM_BINARY_VERSION_CHECK'] = 'false';
    const [port, folder] = await Promise.all([lastingPort(), mongodFolder()]);
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

  /** The address of a database for a client that talks to this node alone. */
  uri(database = ''): string {
    return `mongodb://${this.address}/${database}?directConnection=true`;
  }

  get isRunning(): boolean {
    return this.instance.mongodProcess?.exitCode === null && this.instance.mongodProcess.signalCode === null;
  }

  /** Ends it at once (SIGKILL), as a power cut would. */
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

  /** Stops all its threads without closing a socket (SIGSTOP), until `thaw`. */
  freeze(): void {
    this.instance.mongodProcess?.kill('SIGSTOP');
  }

  thaw(): void {
    this.instance.mongodProcess?.kill('SIGCONT');
  }

  /** Runs an administration command on this node. Throws when it does not answer within `patience` ms. */
  async command(command: mongo.Document, patience = 10_000): Promise<mongo.Document> {
    const client = new mongoose.mongo.MongoClient(this.uri(), {
      serverSelectionTimeoutMS: patience,
      connectTimeoutMS: patience,
      socketTimeoutMS: patience,
    });
    try {
      return await client.db('admin').command(command);
    } finally {
      await client.close();
    }
  }

  /** Ends it and removes its data. */
  async dispose(): Promise<void> {
    await this.kill();
    await removeFolder(this.folder);
  }
}
