import type { Connection } from 'mongoose';
import mongoose from 'mongoose';
import { beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { freshDatabase, freshDatabaseUri } from '../support/mongo/mongo-database.js';

let ofFile: Connection;
let ofTest: Connection;
const ended: Connection[] = [];

beforeAll(async () => {
  ofFile = await freshDatabase();
  await ofFile.collection('notes').insertOne({ of: 'file' });
});

beforeEach(async () => {
  ofTest = await freshDatabase();
  await ofTest.collection('notes').insertOne({ of: 'test' });
  ended.push(ofTest);
});

test('a database starts empty', async () => {
  const connection = await freshDatabase();
  expect(await connection.listCollections()).toEqual([]);
});

test.each(['first', 'second'])('a database of a test is dropped after it, one of the file stays (%s)', async () => {
  expect(await ofFile.collection('notes').countDocuments()).toBe(1);
  expect(await ofTest.collection('notes').countDocuments()).toBe(1);
  const names = await databaseNames();
  expect(names).toContain(ofFile.name);
  expect(ended.filter(({ name }) => names.includes(name))).toEqual([ofTest]);
});

test('a process gets the address of an empty database', async () => {
  const connection = await mongoose.createConnection(freshDatabaseUri()).asPromise();
  expect(connection.name).toMatch(/^keyfold-test-/);
  expect(await connection.listCollections()).toEqual([]);
  await connection.close();
});

async function databaseNames(): Promise<string[]> {
  const connection = await mongoose.createConnection(inject('mongodbUri')).asPromise();
  try {
    const { databases } = await connection.listDatabases();
    return databases.map(({ name }) => name);
  } finally {
    await connection.close();
  }
}
