// A server that answers every request with one kibibyte. Answers with its port.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { answerWith } from '../child.mjs';

const KILOBYTE = Buffer.alloc(1_024, 'k');

answerWith(async () => {
  const server = createServer((_request, response) => response.end(KILOBYTE));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server.address().port;
});
