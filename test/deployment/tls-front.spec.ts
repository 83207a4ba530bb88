import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { expect, it, onTestFinished } from 'vitest';
import { startHaproxy } from '../support/compose/haproxy.js';
import { composeProblems } from '../support/compose/compose-schema.js';
import { lastingPort } from '../support/lasting-port.js';
import { newPrivateCa } from '../support/private-ca.js';

const PROJECT = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(PROJECT, path), 'utf8');

type Override = Readonly<{ services: { balancer: { command: string[]; ports: string[]; volumes: string[] } } }>;
/** Parses `!override`, which replaces a list of the first file, as the list itself. */
const override = () => parse(read('deploy/compose.tls.yml').replaceAll('!override ', '')) as Override;

it('the TLS override matches the schema and publishes only the port of the TLS front', async () => {
  expect(await composeProblems(override())).toEqual([]);
  const { ports, volumes, command } = override().services.balancer;
  expect([ports, read('deploy/compose.tls.yml')]).toEqual([['443:5443'], expect.stringContaining('ports: !override')]);
  expect(volumes).toEqual(['./deploy/haproxy/tls.cfg:/usr/local/etc/haproxy/tls.cfg:ro']);
  expect(command).toContain('/usr/local/etc/haproxy/tls.cfg');
});

it('the load balancer serves TLS with its certificate', async () => {
  const ca = newPrivateCa();
  const folder = await mkdtemp(join(tmpdir(), 'keyfold-tls-'));
  onTestFinished(async () => {
    ca.dispose();
    await rm(folder, { recursive: true });
  });
  const [plain, tls] = [await lastingPort(), await lastingPort()];
  const files = [join(folder, 'haproxy.cfg'), join(folder, 'tls.cfg')] as const;
  await writeFile(files[0], read('deploy/haproxy/haproxy.cfg').replace(':5244', `127.0.0.1:${plain}`));
  await writeFile(
    files[1],
    read('deploy/haproxy/tls.cfg').replace(':5443', `127.0.0.1:${tls}`).replace('/run/secrets/tls.pem', ca.combined),
  );
  onTestFinished(startHaproxy(files));
  await expect
    .poll(() => statusOf(tls, readFileSync(ca.authority)).catch(() => undefined), { timeout: 20_000 })
    .toBe(503);
  await expect(statusOf(tls)).rejects.toThrow(/self-signed certificate|unable to verify/);
});

/** Returns the status of an answer by the load balancer itself; no gateway runs. */
const statusOf = (port: number, ca?: Buffer) =>
  new Promise<number | undefined>((answered, failed) => {
    const call = request({ host: '127.0.0.1', port, path: '/ping', ...(ca && { ca }) }, (response) => {
      response.resume();
      answered(response.statusCode);
    });
    call.on('error', failed).end();
  });
