import mongoose, { type Connection, type mongo } from 'mongoose';
import { MongoMemoryServer } from 'mongodb-memory-server-core';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { freshDatabase } from '../../../../test/support/mongo/mongo-database.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { ReplicaSet } from '../../../../test/support/mongo/replica-set.js';
import { mongodBinary } from '../../../../test/support/mongo/mongod.js';
import { COMMITS, eventStoreModels } from './commit.model.js';
import { connectOptions } from './mongo-connection.js';
import { beginFilling, endFilling, migrateSchema, requireSchema, UnusableDatabase } from './mongo-schema.js';
import { anotherProcess } from '../../testing/open-mongo.js';

let connection: Connection;
beforeEach(async () => {
  connection = await freshDatabase();
});

const migrate = (on = connection) => migrateSchema(on, eventStoreModels(on));
const check = (on = connection) => requireSchema(on, eventStoreModels(on));
const commits = () => connection.collection(COMMITS);

async function complaint(check: Promise<unknown>): Promise<string> {
  const error: unknown = await check.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UnusableDatabase);
  return (error as Error).message;
}

describe('a prepared database', () => {
  it('is checked in all collections at once', async () => {
    await migrate();
    const collections = mongoose.mongo.Collection.prototype;
    const indexesOf = vi.spyOn(collections, 'indexes');
    onTestFinished(() => indexesOf.mockRestore());
    const all = Promise.withResolvers<[]>();
    indexesOf.mockImplementation(() => {
      if (indexesOf.mock.calls.length === eventStoreModels(connection).length) all.resolve([]);
      return all.promise;
    });
    expect(await complaint(check())).toContain('index stream_version of commits is missing');
  });

  it('is not changed by a second migration', async () => {
    await migrate();
    await commits().insertOne({ stream: 'account-1', version: 1, command: { id: 'id-1' } });
    const before = await commits().indexes();
    await migrate();
    expect(await commits().indexes()).toEqual(before);
    expect(await commits().countDocuments()).toBe(1);
    await check();
  });

  it('is the same if several processes migrate it at once', async () => {
    const processes = await Promise.all(Array.from({ length: 4 }, () => anotherProcess(connection)));
    await Promise.all(processes.map((each) => migrate(each)));
    await check();
  });
});

it('migration waits for an index build that takes longer than any other operation may', async () => {
  const set = await ReplicaSet.start(1, { testCommands: true });
  onTestFinished(() => set.stop());
  const options = { ...connectOptions, socketTimeoutMS: 1_000 };
  const impatient = await mongoose.createConnection(set.uri('keyfold'), options).asPromise();
  onTestFinished(() => impatient.close());
  await impatient.createCollection(COMMITS);
  await impatient.collection(COMMITS).insertOne({ stream: 'account-1', version: 1, command: { id: 'id-1' } });
  const hang = (mode: 'alwaysOn' | 'off') =>
    set.node(0).command({ configureFailPoint: 'hangAfterStartingIndexBuild', mode });
  // Before the connections close, which would otherwise wait for the build of a failed migration.
  onTestFinished(async () => void (await hang('off')));
  await hang('alwaysOn');
  const migrated = migrate(impatient);
  await Promise.race([migrated, sleep(2_000)]);
  await hang('off');
  await migrated;
  await check(impatient);
});

describe('migration says what to do', () => {
  it('about a conflicting index of another name', async () => {
    await migrate();
    await commits().dropIndex('stream_version');
    await commits().createIndex({ stream: 1, version: 1 }, { name: 'mine', unique: true });
    expect(await complaint(migrate())).toMatch(
      /an existing index of commits conflicts: .*mine.* Drop it, then run this command again/,
    );
  });

  it('about duplicates because a unique index was dropped', async () => {
    await migrate();
    await commits().dropIndex('stream_version');
    for (const id of ['id-1', 'id-2']) await commits().insertOne({ stream: 'a', version: 1, command: { id } });
    expect(await complaint(migrate())).toContain('Restore a backup');
  });
});

describe('a database that a command fills', () => {
  const fill = (filler: string) => beginFilling(connection, eventStoreModels(connection), filler);

  it('is refused by every start and migration until the command has finished', async () => {
    const first = await fill('keyfold restore');
    const last = await fill('keyfold restore');
    for (const refused of [check, migrate, () => fill('keyfold store copy')])
      expect(await complaint(refused())).toContain(
        '"keyfold restore" has not finished filling it. Finish that command',
      );
    expect(await complaint(endFilling(connection, first))).toContain('another run of the command fills it');
    await endFilling(connection, last);
    await check();
    await fill('keyfold store copy');
  });

  it('is empty before', async () => {
    await migrate();
    await commits().insertOne({ stream: 'account-1', version: 1, command: { id: 'id-1' } });
    expect(await complaint(fill('keyfold restore'))).toContain('it contains data already. Name an empty database');
    await check();
  });
});

describe('a database is refused', () => {
  it('that was never migrated', async () => {
    const message = await complaint(check());
    expect(message).toBe(
      `the database "${connection.name}" cannot be used: it was never migrated. Run "keyfold migrate" with the settings of this process`,
    );
  });

  it.each(['stream_version', 'command_id', 'holds', 'last_hold'])(
    'when its index %s is missing, until it is prepared again',
    async (name) => {
      await migrate();
      await commits().dropIndex(name);
      expect(await complaint(check())).toContain(`index ${name} of commits is missing. Run "keyfold migrate"`);
      await migrate();
      await check();
    },
  );

  it.each([
    { change: 'is not unique', keys: { stream: 1, version: 1 }, options: {} },
    { change: 'has other keys', keys: { stream: 1 }, options: { unique: true } },
    { change: 'has its keys in another order', keys: { version: 1, stream: 1 }, options: { unique: true } },
    { change: 'has another direction', keys: { stream: 1, version: -1 }, options: { unique: true } },
    { change: 'leaves documents out', keys: { stream: 1, version: 1 }, options: { unique: true, sparse: true } },
    {
      change: 'covers a part of the documents',
      keys: { stream: 1, version: 1 },
      options: { unique: true, partialFilterExpression: { version: { $gt: 5 } } },
    },
    {
      change: 'takes different letters for the same',
      keys: { stream: 1, version: 1 },
      options: { unique: true, collation: { locale: 'en', strength: 1 } },
    },
  ])('when an index $change', async ({ keys, options }) => {
    await migrate();
    await commits().dropIndex('stream_version');
    await commits().createIndex(keys as mongo.IndexSpecification, { ...options, name: 'stream_version' });
    for (const refused of [check, migrate]) {
      expect(await complaint(refused())).toContain(
        'index stream_version of commits differs from the one that keyfold creates: drop it with db.commits.dropIndex("stream_version")',
      );
    }
    await commits().dropIndex('stream_version');
    await migrate();
    await check();
  });

  it('whose collection was dropped', async () => {
    await migrate();
    await commits().drop();
    const message = await complaint(check());
    for (const name of ['stream_version', 'command_id', 'holds', 'last_hold'])
      expect(message).toContain(`index ${name}`);
  });

  it('that a newer version has migrated, by start and by migration', async () => {
    await migrate();
    await connection.collection('schema').updateOne({}, { $inc: { version: 1 } });
    const message = `the database "${connection.name}" has schema 2, but this version only supports schema 1. Start the newer version again, or restore the backup from before the upgrade`;
    expect(await complaint(check())).toBe(message);
    expect(await complaint(migrate())).toBe(message);
  });

  it('on a server outside a replica set', async () => {
    const { path } = mongodBinary();
    // The library would print that the binary is not of the version that it would have fetched.
    vi.stubEnv('MONGOMS_SYSTEM_BINARY_VERSION_CHECK', 'false');
    onTestFinished(() => void vi.unstubAllEnvs());
    const server = await MongoMemoryServer.create({ binary: { systemBinary: path } });
    onTestFinished(async () => void (await server.stop()));
    const standalone = await mongoose.createConnection(server.getUri('keyfold'), connectOptions).asPromise();
    onTestFinished(() => standalone.close());
    const message =
      'MongoDB is a standalone server, which can lose acknowledged writes. Start mongod with --replSet rs0, then run rs.initiate() once';
    expect(await complaint(check(standalone))).toBe(message);
    expect(await complaint(migrate(standalone))).toBe(message);
  });

  it('behind a mongos, by start and by migration', async () => {
    const hello = vi.spyOn(mongoose.mongo.Db.prototype, 'command').mockResolvedValue({ msg: 'isdbgrid' });
    onTestFinished(() => hello.mockRestore());
    for (const refused of [check, migrate]) expect(await complaint(refused())).toContain('a sharded cluster');
  });
});
