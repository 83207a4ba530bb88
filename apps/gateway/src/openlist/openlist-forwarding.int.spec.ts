import type { Caller } from '@keyfold/application';
import { EnvelopeFilter } from '@keyfold/http-envelope';
import { OpenListApi } from '@keyfold/openlist';
import { Logger } from '@nestjs/common';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { exchangeBytes } from '../../../../test/support/raw-connection.js';
import { limitPipelining } from '../http/limit-pipelining.js';
import { ClientAddress } from '../request/client-address.js';
import type { Identity } from './identity.js';
import { OpenListForwarding } from './openlist-forwarding.js';

async function listening(server: Server): Promise<string> {
  onTestFinished(() => server.close().closeAllConnections());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const filter = new EnvelopeFilter({
  mask: { ofRefusal: (message) => message, ofFault: (message) => message },
  logFault: () => undefined,
  faults: () => undefined,
  methodsOf: () => [],
});

/** Starts forwarding to `url`. The callers get these identities in turn, and the last one from then on. */
async function forwardingTo(url: string, server: Server, ...identities: Identity[]): Promise<void> {
  const api = await OpenListApi.open({ url, token: 'static' });
  onTestFinished(() => api.close());
  api.availability.apiAnswered();
  const next = async () => (identities.length > 1 ? identities.shift()! : identities[0]!);
  const forwarding = new OpenListForwarding(
    { url, hstsSeconds: 0 },
    api,
    { of: next, renewed: next, hasAccess: async () => true },
    new ClientAddress([], 'untrusted'),
    {} as never,
    {} as never,
  );
  onTestFinished(() => forwarding.close());
  const watch = { count: () => undefined, traces: undefined };
  server.on('request', () => undefined);
  limitPipelining(server, forwarding.open({ server, filter, isRoute: () => false }, watch));
}

/** Starts a service in front of `openlist`, and returns its address. */
async function serviceBefore(openlist: RequestListener, ...identities: Identity[]): Promise<string> {
  const server = createServer();
  await forwardingTo(await listening(createServer(openlist)), server, ...identities);
  return listening(server);
}

/** A login that may be sent until `validUntil`, for another version of the account each time. */
let version = 0;
const login = (validUntil = Infinity): Identity => ({
  authorization: `Basic ${++version}`,
  caller: { accountVersion: version, account: { role: 0 } } as Caller,
  secret: 'mirror',
  validUntil,
});

const LARGE = Buffer.alloc(1 << 17, 'a');
const put = (url: string, body: Buffer) =>
  fetch(`${url}/dav/file`, { method: 'PUT', body, headers: { connection: 'close' } });

describe('a login that is too late', () => {
  it.each([LARGE.length, 10])('is looked up again, and the body of %i bytes arrives', async (size) => {
    const bodies: Promise<string>[] = [];
    const openlist: RequestListener = (request, response) => {
      bodies.push(text(request));
      request.once('end', () => response.writeHead(201).end());
    };
    const service = await serviceBefore(openlist, login(0), login(0), login());
    expect((await put(service, LARGE.subarray(0, size))).status).toBe(201);
    expect(await Promise.all(bodies)).toEqual(['a'.repeat(size)]);
  });

  it('is given up after some attempts with a reason of its own', async () => {
    const openlist = vi.fn<RequestListener>();
    const answer = await put(await serviceBefore(openlist, login(0)), LARGE);
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(await answer.json()).toMatchObject({ code: 503, message: 'the request could not be sent in time' });
    expect(openlist).not.toHaveBeenCalled();
  });
});

it('a login that OpenList refuses is repeated once, although the account keeps changing', async () => {
  const openlist = vi.fn<RequestListener>((request, response) => {
    request.resume().once('end', () => response.writeHead(401).end());
  });
  const service = await serviceBefore(openlist, ...Array.from({ length: 9 }, () => login()));
  expect((await put(service, Buffer.from('a'))).status).toBe(503);
  expect(openlist).toHaveBeenCalledTimes(2);
});

describe('a request with a token that OpenList refuses', () => {
  const REFUSED = JSON.stringify({ code: 401, message: 'token is invalidated', data: null });
  const get = 'GET /api/x HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n';
  /** Answers as OpenList does, which takes one token. */
  const taking =
    (token: string): RequestListener =>
    ({ headers }, response) => {
      const body = headers.authorization === token ? 'taken' : REFUSED;
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
    };

  it('is repeated with a new one', async () => {
    const [former, current] = [login(), login()];
    const answer = await exchangeBytes(await serviceBefore(taking(current.authorization!), former, current), get);
    expect(answer).toMatch(/\r\n\r\ntaken$/);
  });

  it('gets 503 if OpenList refuses the new token, too', async () => {
    const answer = await exchangeBytes(await serviceBefore(taking('another'), login(), login()), get);
    expect(answer).toMatch(/^HTTP\/1.1 503 /);
    expect(answer).not.toContain('token is invalidated');
  });
});

describe('a service whose OpenList is itself', () => {
  const logged = vi.fn<(...line: unknown[]) => void>();
  beforeEach(() => void vi.spyOn(Logger.prototype, 'error').mockImplementation(logged));
  afterEach(() => void vi.restoreAllMocks());

  const own = async () => {
    const server = createServer();
    const url = await listening(server);
    await forwardingTo(url, server, { authorization: undefined });
    return url;
  };

  it('answers a request after one round', async () => {
    const answer = await fetch(`${await own()}/robots.txt`, { headers: { connection: 'close' } });
    expect(answer.status).toBe(508);
    expect(logged).toHaveBeenCalledWith(
      expect.anything(),
      expect.stringContaining('Set it to the address of OpenList'),
    );
  });

  it('says so where it uses the API of OpenList', async () => {
    const api = await OpenListApi.open({ url: await own(), token: 'static' });
    onTestFinished(() => api.close());
    await expect(api.users(1)).rejects.toThrow('KEYFOLD_OPENLIST_URL leads back to Keyfold');
  });
});
