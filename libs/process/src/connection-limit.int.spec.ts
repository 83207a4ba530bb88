import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { limitConnections, markProven } from './connection-limit.js';

const MAX = 3;

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
    await closed(first);
    expect(others.map(({ closed: isClosed }) => isClosed)).toEqual([false, false, false]);
    expect(timesFull).toBe(1);
  });

  it('ends a newer one if the older are proven', async () => {
    const [first, second, third] = [await proven(), await proven(), await connected()];
    await connected();
    await closed(third);
    expect([first.closed, second.closed]).toEqual([false, false]);
  });

  it('ends one of the peer that has most', async () => {
    const [only, second, third] = [await connected('127.0.0.2'), await connected(), await connected()];
    await connected('127.0.0.3');
    await closed(second);
    expect([only.closed, third.closed]).toEqual([false, false]);
  });

  it('ends the oldest proven one if all are', async () => {
    const [first, second, third] = [await proven(), await proven(), await proven()];
    const fourth = await connected();
    await closed(first);
    expect([second.closed, third.closed, fourth.closed]).toEqual([false, false, false]);
  });

  it('ends none if others have closed', async () => {
    const [first, second, third] = [await connected(), await proven(), await connected()];
    first.destroy();
    second.destroy();
    await Promise.all(accepted.slice(0, 2).map(closed));
    const [fourth, fifth] = [await connected(), await connected()];
    expect([third.closed, fourth.closed, fifth.closed, timesFull]).toEqual([false, false, false, 0]);
  });
});
