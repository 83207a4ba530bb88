// Replaces the MongoDB shell in the entrypoint of the image.
import { MongoClient } from 'mongodb';
import { readFileSync } from 'node:fs';

const client = new MongoClient('mongodb://127.0.0.1:27017/', { directConnection: true });
const pwd = readFileSync(process.env.MONGO_INITDB_ROOT_PASSWORD_FILE, 'utf8').replace(/\n+$/, '');
const roles = [{ role: 'root', db: 'admin' }];
await client.db('admin').command({ createUser: process.env.MONGO_INITDB_ROOT_USERNAME, pwd, roles });
await client.close();
