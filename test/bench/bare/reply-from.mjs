// The smallest proxy on @fastify/reply-from, in one thread. Answers with its port.
import replyFrom from '@fastify/reply-from';
import Fastify from 'fastify';
import { answerWith } from '../child.mjs';

answerWith(async ({ upstream }) => {
  const server = Fastify();
  await server.register(replyFrom, { base: upstream });
  server.all('/*', (request, reply) => reply.from(request.raw.url));
  await server.listen({ host: '127.0.0.1', port: 0 });
  return server.server.address().port;
});
