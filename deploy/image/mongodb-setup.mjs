// Prepares the mongod of docker-compose.yml: creates a single-node replica set if there is none, and creates Keyfold's user or updates its
// password. Exits with status 1 on failure.
import mongoose from 'mongoose';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const TIMEOUT_MS = 60_000;
const NOT_YET_INITIALIZED = 94;

const fileOf = (name) => readFileSync(process.env[name], 'utf8').trim();
const target = new URL(fileOf('KEYFOLD_MONGODB_URI_FILE'));
const [user, password] = [target.username, target.password].map(decodeURIComponent);
const database = target.pathname.slice(1);
const replicaSet = target.searchParams.get('replicaSet');

const client = new mongoose.mongo.MongoClient(`mongodb://${target.host}/`, {
  auth: {
    username: process.env.MONGO_INITDB_ROOT_USERNAME,
    password: fileOf('MONGO_INITDB_ROOT_PASSWORD_FILE'),
  },
  directConnection: true,
  serverSelectionTimeoutMS: TIMEOUT_MS,
});
try {
  await initiate(client.db('admin'));
  await untilPrimary(client.db('admin'));
  await makeUser(client.db(database));
} catch (error) {
  console.error(`mongodb-setup: ${error.message}`);
  process.exitCode = 1;
} finally {
  await client.close();
}

async function initiate(admin) {
  try {
    await admin.command({ replSetGetStatus: 1 });
  } catch (error) {
    if (error.code !== NOT_YET_INITIALIZED) throw error;
    const members = [{ _id: 0, host: target.host }];
    await admin.command({ replSetInitiate: { _id: replicaSet, members } });
    console.log(`created the replica set ${replicaSet} with ${target.host}`);
  }
}

async function untilPrimary(admin) {
  const deadline = Date.now() + TIMEOUT_MS;
  while (!(await admin.command({ hello: 1 })).isWritablePrimary) {
    if (Date.now() > deadline) throw new Error(`${target.host} is not primary after ${TIMEOUT_MS / 1_000} seconds`);
    await pause(100);
  }
}

async function makeUser(db) {
  const { users } = await db.command({ usersInfo: user });
  const roles = [{ role: 'readWrite', db: database }];
  await db.command({ [users.length === 0 ? 'createUser' : 'updateUser']: user, pwd: password, roles });
  console.log(`${users.length === 0 ? 'created' : 'updated'} the user ${user} of the database ${database}`);
}
