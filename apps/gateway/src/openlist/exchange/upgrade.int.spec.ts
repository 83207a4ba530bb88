import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { Upgrade } from './upgrade.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function listening(server: Server): Promise<string> {
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts a proxy in front of `origin`, which sends every upgrade there. */
function proxyOf(origin: string, idleTime?: number): Promise<string> {
  const proxy = createServer().on('upgrade', (request, socket: Socket, head) => {
    const upgrade = new Upgrade(request, socket, head, idleTime);
    upgrade.send(origin, ['Host', 't'], () => undefined).catch(upgrade.destroy);
  });
  return listening(proxy);
}

function ask(proxy: string, target: string): Socket {
  const socket = connect(Number(new URL(proxy).port), '127.0.0.1');
  socket.write(`GET ${target} HTTP/1.1\r\nHost: t\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n`);
  return socket;
}

/** Resolves when the other side has ended a connection, in whatever way. */
const ended = (socket: Socket) => finished(socket.resume(), { writable: false }).catch(() => undefined);

it('a request for another protocol reaches no other server than OpenList, whatever its address', async () => {
  const openlist = await listening(createServer((request, response) => response.end(`openlist ${request.url}`)));
  const other = await listening(createServer((_, response) => response.end('other')));
  const target = `//${new URL(other).host}/x`;
  expect(await text(ask(await proxyOf(openlist), target))).toContain(`openlist ${target}`);
});

describe('while OpenList has not switched', () => {
  it('a client that goes ends the connection to OpenList', async () => {
    const openlist = createServer();
    const asked = once(openlist, 'upgrade');
    const client = ask(await proxyOf(await listening(openlist)), '/');
    const [, behind] = (await asked) as [unknown, Socket];
    client.end();
    await once(behind.resume(), 'end');
  });

  it('both connections end when nothing happens for long', async () => {
    const openlist = createServer();
    const asked = once(openlist, 'upgrade');
    const client = ask(await proxyOf(await listening(openlist), 50), '/');
    const [, behind] = (await asked) as [unknown, Socket];
    await Promise.all([once(client.resume(), 'close'), once(behind.resume(), 'end')]);
  });
});

describe('after OpenList has switched', () => {
  const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n';
  /** Returns both ends of a connection over which `early` was sent before the switch. */
  async function joined(idleTime?: number, early = '') {
    const openlist = createServer();
    const asked = once(openlist, 'upgrade');
    const client = ask(await proxyOf(await listening(openlist), idleTime), '/');
    client.write(early);
    const [, behind, head] = (await asked) as [unknown, Socket, Buffer];
    behind.unshift(head);
    behind.write(SWITCH);
    await once(client, 'data');
    return { client, behind };
  }

  it('it gets what the client sent before', async () => {
    const { client, behind } = await joined(undefined, 'early');
    client.end(' late');
    expect(await text(behind)).toBe('early late');
  });

  it('the client gets all that OpenList sent before it ended', async () => {
    const { client, behind } = await joined();
    behind.end(Buffer.alloc(1 << 20));
    expect(await text(client)).toHaveLength(1 << 20);
  });

  it('both connections end when nothing happens for long', async () => {
    const { client, behind } = await joined(50);
    await Promise.all([ended(client), ended(behind)]);
  });
});
