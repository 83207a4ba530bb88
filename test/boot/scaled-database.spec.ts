import { connectOptions } from '@keyfold/event-store/mongo';
import mongoose, { type Connection } from 'mongoose';
import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { failedScaledStart } from '../support/failed-start.js';
import { blockOf } from '../support/guides.js';
import { freshDatabaseUri } from '../support/mongo/mongo-database.js';
import { Mongod } from '../support/mongo/mongod.js';
import { SCALED_SETTINGS } from '../support/scaled-process.js';
import { migrate } from '../support/scaled-service.js';

/** Starts a gateway, expects the start to fail and returns its output. */
async function refusal(uri: string): Promise<string> {
  const { exitCode, output } = await failedScaledStart('gateway', { ...SCALED_SETTINGS, KEYFOLD_MONGODB_URI: uri });
  expect(exitCode).toBe(1);
  expect(output).not.toMatch(/^\s+at /m);
  expect(output.trim().split('\n')).toHaveLength(1);
  return output;
}

/** Prepares a database and then damages it. */
async function damaged(damage: (connection: Connection) => Promise<unknown>): Promise<string> {
  const uri = freshDatabaseUri();
  await migrate(uri);
  const connection = await mongoose.createConnection(uri, connectOptions).asPromise();
  try {
    await damage(connection);
  } finally {
    await connection.close();
  }
  return uri;
}

describe('an unusable database is refused with advice:', () => {
  it('one that was never migrated', async () => {
    const output = await refusal(freshDatabaseUri());
    expect(output).toContain('was never migrated');
    expect(output).toContain('keyfold migrate');
  });

  it.each<[string, (connection: Connection) => Promise<unknown>, string]>([
    [
      'that lost a unique index',
      (connection) => connection.collection('commits').dropIndex('holds'),
      'index holds of commits is missing',
    ],
    [
      'whose unique index is no longer unique',
      async (connection) => {
        await connection.collection('commits').dropIndex('stream_version');
        await connection.collection('commits').createIndex({ stream: 1, version: 1 }, { name: 'stream_version' });
      },
      'index stream_version of commits differs from the one that keyfold creates',
    ],
    [
      'that a newer version wrote',
      (connection) => connection.collection('schema').updateMany({}, { $set: { version: 99 } }),
      'has schema 99, but this version only supports schema 1. Start the newer version again, or restore the backup',
    ],
  ])('one %s', async (_, damage, reason) => {
    expect(await refusal(await damaged(damage))).toContain(reason);
  });

  it('one of a replica set with another name', async () => {
    const uri = freshDatabaseUri().replace(/replicaSet=\w+/, 'replicaSet=another');
    expect(await refusal(uri)).toContain('but KEYFOLD_MONGODB_URI names "another"');
  });

  it.each(['', '?replicaSet=rs0'])('one of a standalone server (%j)', async (options) => {
    const server = await Mongod.start(undefined);
    onTestFinished(() => server.dispose());
    const output = await refusal(`mongodb://${server.address}/keyfold${options}`);
    expect(output).toContain('standalone server');
    expect(output).toContain('--replSet rs0');
  });
});

it('the commands of the guide initiate a replica set without mongosh, on which keyfold migrate prepares a database', async () => {
  const mongod = await Mongod.start('rs0');
  onTestFinished(() => mongod.dispose());
  const command = blockOf('run/install.md', 'Initiate the replica set', 'sh').replaceAll(
    'localhost:27017',
    mongod.address,
  );
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH']}` };
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { env });
  expect(stdout).toContain('ok: 1');
  await migrate(`mongodb://${mongod.address}/keyfold?replicaSet=rs0`);
});
