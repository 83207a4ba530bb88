import mongoose, { type Connection } from 'mongoose';
import { expect, inject, it, onTestFinished } from 'vitest';
import { databaseUri, freshDatabase } from '../../../../../test/support/mongo/mongo-database.js';
import { denseHistory } from '../../../testing/dense-history.js';
import { newCommit, unused } from '../../../testing/new-commit.js';
import { outcomeOf, tally } from '../../../testing/outcome.js';
import { eventStoreModels } from '../commit.model.js';
import { connectOptions } from '../mongo-connection.js';
import { MongoEventStore } from '../mongo-event-store.js';
import { migrateSchema } from '../mongo-schema.js';

const CALLERS = 16;
const COMMITS_OF_CALLER = 15;

/** Counts the commands that a process sends. */
async function openProcess(database: string): Promise<{ store: MongoEventStore; commands: () => number }> {
  const options = { ...connectOptions, monitorCommands: true };
  const connection = await mongoose.createConnection(databaseUri(inject('mongodbUri'), database), options).asPromise();
  onTestFinished(() => connection.close());
  let commands = 0;
  connection.getClient().on('commandStarted', () => (commands += 1));
  return { store: new MongoEventStore(connection), commands: () => commands };
}

async function prepare(): Promise<Connection> {
  const connection = await freshDatabase();
  await migrateSchema(connection, eventStoreModels(connection));
  return connection;
}

/** Appends one commit after another to a stream of its own in a partition that others use too. */
async function appendOneByOne(store: MongoEventStore, partition: string): Promise<string[]> {
  const stream = unused('session');
  const outcomes: string[] = [];
  for (let version = 1; version <= COMMITS_OF_CALLER; version++) {
    const commit = newCommit(stream, version, { partition, correlation: unused('request') });
    outcomes.push(await outcomeOf(store.append(commit)));
  }
  return outcomes;
}

it.each([
  { processes: 2, partitions: 1 },
  { processes: 2, partitions: 16 },
  { processes: 4, partitions: 8 },
])(
  '$processes processes that append to the same $partitions partitions at full speed all get through',
  async ({ processes, partitions }) => {
    const connection = await prepare();
    const opened = await Promise.all(Array.from({ length: processes }, () => openProcess(connection.name)));
    const outcomes = opened.map(({ store }) =>
      Promise.all(Array.from({ length: CALLERS }, (_, caller) => appendOneByOne(store, `${caller % partitions}`))),
    );
    const ofAll = (await Promise.all(outcomes)).flat(2);
    expect(tally(ofAll)).toEqual({ appended: processes * CALLERS * COMMITS_OF_CALLER });
    expect(await denseHistory(connection)).toHaveLength(ofAll.length);
  },
);

it('a process that has its slots to itself stores all queued commits with one command', async () => {
  const connection = await prepare();
  const { store, commands } = await openProcess(connection.name);
  await Promise.all(Array.from({ length: 64 }, () => store.append(newCommit(unused('account'), 1))));
  const before = commands();
  const partitions = (await denseHistory(connection)).map(({ partition }) => partition);
  await Promise.all(partitions.map((partition) => store.append(newCommit(unused('session'), 1, { partition }))));
  expect(commands() - before).toBe(1);
});

it('beside another process, an append takes one command', async () => {
  const connection = await prepare();
  const { store, commands } = await openProcess(connection.name);
  const elsewhere = new MongoEventStore(connection);
  const inSlot = () => newCommit(unused('session'), 1, { partition: 'partition' });
  // The third append meets the second one, and from then on the process counts on others.
  for (const each of [store, elsewhere, store]) await each.append(inSlot());
  const before = commands();
  for (let appends = 0; appends < 5; appends++) for (const each of [elsewhere, store]) await each.append(inSlot());
  expect(commands() - before).toBe(5);
});

it('a process whose rivals stopped returns to one command for all queued commits', async () => {
  const connection = await prepare();
  const { store, commands } = await openProcess(connection.name);
  const inSlot = () => newCommit(unused('session'), 1, { partition: 'partition' });
  for (const each of [store, new MongoEventStore(connection), store]) await each.append(inSlot());
  for (let batches = 0; batches < 50; batches++) await store.append(inSlot());
  // The first of these batches also reads the head of the slot.
  await store.append(inSlot());
  const before = commands();
  await Promise.all(Array.from({ length: 20 }, () => store.append(inSlot())));
  expect(commands() - before).toBe(1);
});

it('a stream with a baseline of another process needs one command to load and one to append', async () => {
  const connection = await prepare();
  const stream = unused('account');
  await new MongoEventStore(connection).append(newCommit(stream, 1));
  const { store, commands } = await openProcess(connection.name);
  // The first append of a process also reads the head of the slot.
  await store.append(newCommit(unused('session'), 1, { partition: stream }));
  // The first reading also waits until the primary knows what a majority has.
  await store.readStreams([{ stream: unused('account'), version: 0 }]);
  const before = commands();
  expect(await store.readStreams([{ stream, version: 1 }])).toEqual([]);
  await store.append(newCommit(stream, 2));
  expect(commands() - before).toBe(2);
});
