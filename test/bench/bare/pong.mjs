// A minimal HTTP service on Fastify, in one thread or in several that share its port. Answers with the port.
import Fastify from 'fastify';
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { answerWith } from '../child.mjs';

async function listen(port) {
  const server = Fastify();
  server.get('/ping', (_request, reply) => reply.send('pong'));
  await server.listen({ host: '127.0.0.1', port, reusePort: true });
  return server.server.address().port;
}

if (isMainThread) {
  answerWith(async ({ threads }) => {
    const port = await listen(0);
    const others = Array.from({ length: threads - 1 }, () => new Worker(import.meta.filename, { workerData: port }));
    await Promise.all(others.map((worker) => once(worker, 'message')));
    return port;
  });
} else {
  await listen(workerData);
  parentPort.postMessage('listening');
}
