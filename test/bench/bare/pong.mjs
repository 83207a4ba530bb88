// A minimal HTTP service on Fastify. Answers with its port.
import Fastify from 'fastify';
import { answerWith } from '../child.mjs';

const server = Fastify();
server.get('/ping', (_request, reply) => reply.send('pong'));

answerWith(async () => {
  await server.listen({ host: '127.0.0.1', port: 0 });
  return server.server.address().port;
});
