import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startKeyfold } from '../support/cli.js';

/** A server that takes connections and says nothing. */
async function silentServer() {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await once(server, 'listening');
  return { server, sockets };
}

it('a command that is still connecting ends with 130 when it is interrupted, and not after the time-out', async () => {
  const { server, sockets } = await silentServer();
  const { port } = server.address() as AddressInfo;
  const connected = once(server, 'connection');
  const { child, result } = startKeyfold({ KEYFOLD_MONGODB_URI: `mongodb://127.0.0.1:${port}/keyfold` }, 'verify');
  await connected;
  child.kill('SIGINT');
  expect(await result).toEqual({ status: 130, out: '', err: '' });
  // After the time-out the command looks at the server once more.
  expect(sockets).toHaveLength(1);
});
