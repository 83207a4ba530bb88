import type { ShownActivity } from '@keyfold/application';
import { StoreUnavailable } from '@keyfold/event-store';
import Fastify from 'fastify';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ActivityExport } from './activity-export.js';

/** Pages of about 200 KiB, so that the buffers of the connection hold only some of them. */
const ENTRIES = 100;
const TEXT = 'x'.repeat(2_000);
const MANY = 5_000;

const entry = (index: number): ShownActivity => ({
  cursor: { at: 0, key: index, index: 0 },
  id: `account-7:${index}:0`,
  type: 'account.disabled',
  accountId: 7,
  actor: { kind: 'operator' },
  sessionId: undefined,
  correlation: TEXT,
  details: {},
  username: '',
  actorName: '',
  address: '',
  client: '',
});
const page = (number: number) => Array.from({ length: ENTRIES }, (_, index) => entry(number * ENTRIES + index));

/** A history of many pages that counts those that were read. It fails after `failing` pages. */
class Pages {
  read = 0;
  isClosed = false;

  constructor(
    readonly count: number,
    readonly failing = Infinity,
  ) {}

  async *all(): AsyncGenerator<readonly ShownActivity[]> {
    try {
      while (this.read < this.count) {
        if (this.read === this.failing) throw new StoreUnavailable('the disk is gone');
        yield page(this.read++);
      }
    } finally {
      this.isClosed = true;
    }
  }
}

/** Serves exports of these pages. Returns a function that requests one. */
async function serve(pages: () => Pages, exports = new ActivityExport()): Promise<() => Promise<IncomingMessage>> {
  const server = Fastify();
  server.get('/', async (_request, reply) => {
    const stream = await exports.start(async () => pages().all()).catch((error: Error) => error);
    return stream instanceof Error ? reply.code(503).send(stream.message) : reply.send(stream);
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    server.server.closeAllConnections();
    await server.close();
  });
  const { port } = server.server.address() as AddressInfo;
  return async () => {
    const [response] = (await once(get({ port, agent: false }), 'response')) as [IncomingMessage];
    return response;
  };
}

async function received(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

it('a complete export has one line per entry', async () => {
  const request = await serve(() => new Pages(3));
  const lines = (await received(await request())).trimEnd().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(
    Array.from({ length: 3 * ENTRIES }, (_, index) => `account-7:${index}:0`),
  );
});

it('a client that does not read makes the export stop reading, and the rest follows when it reads', async () => {
  const pages = new Pages(MANY);
  const request = await serve(() => pages);
  const response = await request();
  let before = -1;
  while (pages.read !== before) {
    before = pages.read;
    await sleep(300);
  }
  expect(pages.read).toBeLessThan(MANY / 10);
  let bytes = 0;
  for await (const chunk of response) bytes += (chunk as Buffer).length;
  expect(pages.read).toBe(MANY);
  expect(bytes).toBeGreaterThan(MANY * ENTRIES * TEXT.length);
});

it('a failure in the middle breaks the transfer off', async () => {
  const request = await serve(() => new Pages(MANY, 3));
  await expect(received(await request())).rejects.toThrow('aborted');
});

it('a failure of the first read is reported before the export starts', async () => {
  const request = await serve(() => new Pages(MANY, 0));
  const response = await request();
  expect([response.statusCode, await received(response)]).toEqual([503, 'the disk is gone']);
});

it('only two exports run at a time, and one that its client leaves frees its place and the store', async () => {
  const running: Pages[] = [];
  const request = await serve(() => {
    running.push(new Pages(MANY));
    return running.at(-1)!;
  });
  const [first, second] = [await request(), await request()];
  expect((await request()).statusCode).toBe(503);
  first.destroy();
  await vi.waitFor(() => expect(running[0]!.isClosed).toBe(true));
  const third = await request();
  expect(third.statusCode).toBe(200);
  for (const each of [second, third]) each.destroy();
});

it('an export ends when its client reads nothing for a while', async () => {
  const pages = new Pages(MANY);
  const request = await serve(() => pages, new ActivityExport(200));
  const response = await request();
  await vi.waitFor(() => expect(pages.isClosed).toBe(true), 10_000);
  await expect(received(response)).rejects.toThrow('aborted');
});
