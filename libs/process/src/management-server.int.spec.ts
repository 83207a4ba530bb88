import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { Metrics } from './metrics/metrics.js';
import { Health } from './health.js';
import { ManagementServer } from './management-server.js';

let health: Health;
let url: string;

beforeEach(async () => {
  health = new Health();
  const server = await ManagementServer.open('127.0.0.1', 0, health, new Metrics());
  onTestFinished(() => server.close());
  url = server.url;
});

describe('the management port', () => {
  it('reports that the process is alive, whatever the checks report', async () => {
    const answer = await fetch(`${url}/health/live`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await answer.json()).toEqual({ status: 'alive', version: manifest.version });
  });

  it('answers 503 with the problems, and 200 without any', async () => {
    health.setPending('store', 'MongoDB is not available');
    const waiting = await fetch(`${url}/health/ready`);
    expect(waiting.status).toBe(503);
    expect(await waiting.json()).toEqual({
      status: 'not ready',
      checks: { process: 'is starting', store: 'MongoDB is not available' },
    });
    health.add('store', () => {});
    health.started();
    const ready = await fetch(`${url}/health/ready?verbose`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toEqual({ status: 'ready', checks: { store: 'ok' } });
  });

  it('exposes metrics', async () => {
    const answer = await fetch(`${url}/metrics`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await answer.text()).toContain('process_cpu_seconds_total');
  });

  it('answers 500 if the metrics fail, and keeps running', async () => {
    class BrokenMetrics extends Metrics {
      override text = () => Promise.reject(new Error('a module is gone'));
    }
    const server = await ManagementServer.open('127.0.0.1', 0, health, new BrokenMetrics());
    onTestFinished(() => server.close());
    const answer = await fetch(`${server.url}/metrics`);
    expect([answer.status, await answer.json()]).toEqual([500, { status: 'Error: a module is gone' }]);
    expect((await fetch(`${server.url}/health/live`)).status).toBe(200);
  });

  it('answers HEAD without a body, other methods with 405, other paths with 404', async () => {
    const head = await fetch(`${url}/health/live`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const post = await fetch(`${url}/health/live`, { method: 'POST' });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect((await fetch(`${url}/ping`)).status).toBe(404);
  });

  it('that another program uses is refused, and the message names the setting', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await expect(ManagementServer.open('127.0.0.1', port, health, new Metrics())).rejects.toThrow(
      `cannot listen on 127.0.0.1:${port}: the port is already in use. Stop the other program, or set KEYFOLD_MANAGEMENT_PORT to another port`,
    );
  });

  it('closes even if clients keep connections open', async () => {
    const server = await ManagementServer.open('127.0.0.1', 0, health, new Metrics());
    await (await fetch(`${server.url}/health/live`)).text();
    await server.close();
    await expect(fetch(`${server.url}/health/live`)).rejects.toThrow('fetch failed');
  });
});
