import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { Management, ManagementUnavailable } from './management.js';

it('a management API that breaks off a response is unavailable', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-length': 1_000 }).write('{', () => response.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const failure = new Management(`http://127.0.0.1:${port}`, 'amqp://guest:hidden@127.0.0.1').queue('keyfold.rpc');
  await expect(failure).rejects.toBeInstanceOf(ManagementUnavailable);
  await expect(failure).rejects.toThrow(/^the management API at 127\.0\.0\.1:\d+ does not answer: .*closed/);
});
