// A minimal HTTP service on MongoDB: Fastify and the driver, with one operation per request. Answers with its port.
import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import mongoose from 'mongoose';
import { answerWith } from '../child.mjs';

const success = (data) => ({ code: 200, message: 'success', data });
/** About as much data as a commit contains besides the key. */
const CONTEXT = { hash: 'x'.repeat(43), type: 'AddSshKey', actor: 'session:1', text: 'x'.repeat(309) };

/** `uri` names a database; `documents` are its content. */
answerWith(async ({ uri, documents }) => {
  const client = await new mongoose.mongo.MongoClient(uri).connect();
  const collection = client.db().collection('bare', { writeConcern: { w: 'majority', journal: true } });
  await collection.insertMany(documents);
  const server = Fastify();
  server.post('/insert', async (request) => {
    await collection.insertOne({ _id: randomUUID(), ...CONTEXT, at: Date.now(), body: request.body });
    return success(null);
  });
  server.get('/find', async (request) => success(await collection.findOne({ _id: request.headers.authorization })));
  await server.listen({ host: '127.0.0.1', port: 0 });
  return server.server.address().port;
});
