import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { limitConnections, markProven } from './connection-limit.js';

const MAX = 4;

/** A server that greets each connection with its number, and knows its side of each. */
let accepted: Socket[];
let port: number;
let timesFull: number;

beforeEach(async () => {
  accepted = [];
  timesFull = 0;
  const server = createServer((socket) => {
    accepted.push(socket.on('error', () => undefined));
    socket.write(String(accepted.length));
  });
  limitConnections(server, MAX, () => (timesFull += 1));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  ({ port } = server.address() as AddressInfo);
  onTestFinished(() => {
    server.close();
    for (const socket of accepted) socket.destroy();
  });
});

/** Connects from an address and waits for the greeting. */
async function connected(localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port, localAddress }).on('error', () => undefined);
  await once(socket, 'data');
  return socket;
}
const proven = async (localAddress?: string) => {
  const socket = await connected(localAddress);
  markProven(accepted.at(-1)!);
  return socket;
};
const closed = async (socket: Socket) => socket.closed || once(socket, 'close');

describe('a further connection', () => {
  it('ends the oldest one', async () => {
    const [first, ...others] = [await connected(), await connected(), await connected(), await connected()];
    const fifth = await connected();
    await closed(first);
    expect([...others, fifth].map(({ closed: isClosed }) => isClosed)).toEqual([false, false, false, false]);
    expect(timesFull).toBe(1);
  });

  it('ends a newer one if the older are proven', async () => {
    const [first, second, third] = [await proven(), await proven(), await connected()];
    await connected();
    await connected();
    await closed(third);
    expect([first.closed, second.closed]).toEqual([false, false]);
  });

  it('ends one of the peer that has most', async () => {
    const [only, second] = [await connected('127.0.0.2'), await connected()];
    const others = [await connected(), await connected(), await connected('127.0.0.3')];
    await closed(second);
    expect([only, ...others].map(({ closed: isClosed }) => isClosed)).toEqual([false, false, false, false]);
  });

  it('ends one of a peer with a proof if that has half of all proven ones, and not one of a new peer', async () => {
    const [first, second, third] = [await proven(), await proven(), await proven()];
    const stranger = await connected('127.0.0.2');
    await proven();
    await closed(third);
    expect([first.closed, second.closed, stranger.closed]).toEqual([false, false, false]);
  });

  it('ends the oldest proven one if all are', async () => {
    const [first, second] = [await proven(), await proven()];
    const others = [await proven('127.0.0.2'), await proven('127.0.0.2'), await connected('127.0.0.3')];
    await closed(first);
    expect([second, ...others].map(({ closed: isClosed }) => isClosed)).toEqual([false, false, false, false]);
  });

  it('ends none if others have closed', async () => {
    const [first, second, third] = [await connected(), await proven(), await connected()];
    first.destroy();
    second.destroy();
    await Promise.all(accepted.slice(0, 2).map(closed));
    const others = [await connected(), await connected(), await connected()];
    expect([third, ...others].map(({ closed: isClosed }) => isClosed)).toEqual([false, false, false, false]);
    expect(timesFull).toBe(0);
  });
});
