import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startKeyfold } from '../support/cli.js';

/** Starts a server that accepts connections and never answers. */
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

it('a command that is still connecting exits with 130 when interrupted, without waiting for the timeout', async () => {
  const { server, sockets } = await silentServer();
  const { port } = server.address() as AddressInfo;
  const connected = once(server, 'connection');
  const { child, result } = startKeyfold({ KEYFOLD_MONGODB_URI: `mongodb://127.0.0.1:${port}/keyfold` }, 'verify');
  await connected;
  child.kill('SIGINT');
  expect(await result).toEqual({ status: 130, out: '', err: '' });
  // The command accesses the server once more after the timeout.
  expect(sockets).toHaveLength(1);
});
