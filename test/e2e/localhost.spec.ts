import { once } from 'node:events';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchangeBytes } from '../support/raw-connection.js';
import { StandaloneProcess } from '../support/standalone-process.js';

const preload = pathToFileURL(resolve(import.meta.dirname, '../support/dual-stack-localhost.ts')).href;
/** Two of the loopback network, so that a machine without IPv6 has both. */
const ADDRESSES = ['127.0.0.1', '127.0.0.2'];

let app: StandaloneProcess;
beforeAll(async () => {
  app = await StandaloneProcess.start({
    KEYFOLD_HOST: 'localhost',
    NODE_OPTIONS: `--import=${preload}`,
    LOCALHOST_ADDRESSES: ADDRESSES.join(),
  });
});
afterAll(() => app?.dispose());

describe.each(ADDRESSES)('on the address %s of localhost', (address) => {
  const url = () => `http://${address}:${app.port}`;

  it('requests are answered', async () => {
    const answer = await fetch(`${url()}/ping`);
    expect([answer.status, await answer.text()]).toEqual([200, 'pong']);
  });

  it('a good request before a broken one gets its answer first, and the refusal has an envelope', async () => {
    const received = await exchangeBytes(url(), 'GET /ping HTTP/1.1\r\nHost: a\r\n\r\n\u0001\u0002 no HTTP\r\n\r\n');
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
    expect(received).toContain('"code":400');
  });

  it('an expectation other than 100-continue is refused', async () => {
    const request = 'GET /ping HTTP/1.1\r\nHost: a\r\nExpect: tea\r\nConnection: close\r\n\r\n';
    expect(await exchangeBytes(url(), request)).toContain('"code":417');
  });

  it('pipelined requests take turns with those of other connections', async () => {
    const flood = connect(app.port, address, () =>
      flood.write('GET /ping HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(100_000)),
    );
    let answers = 0;
    flood.setEncoding('latin1').on('data', (text: string) => (answers += text.split('HTTP/1.1 200').length - 1));
    await once(flood, 'data');
    const before = answers;
    await fetch(`${url()}/ping`);
    const meanwhile = answers - before;
    flood.destroy();
    expect(meanwhile).toBeLessThan(5_000);
  });
});

it('the last request on the other address is answered while the service stops', async () => {
  const [, other] = ADDRESSES;
  const socket = connect(app.port, other);
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => (received += text));
  await once(socket, 'connect');
  const ended = once(socket, 'close');
  const exit = app.stop();
  socket.write('GET /ping HTTP/1.1\r\nHost: a\r\n\r\n');
  await ended;
  expect(received).toMatch(/^HTTP\/1\.1 200 /);
  expect(await exit).toBe(0);
});
