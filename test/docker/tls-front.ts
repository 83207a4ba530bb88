import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newPrivateCa, type PrivateCa } from '../support/private-ca.js';
import type { Deployment } from './deployment.js';

const override = readFileSync(resolve(import.meta.dirname, '../../deploy/compose.tls.yml'), 'utf8');
const [, makeSecret = ''] = /^# {3}(cat .*?) {2,}#/m.exec(override) ?? [];

/** Declares the tests of the TLS front that `deploy/compose.tls.yml` adds to a deployment. */
export function itServesTls(of: () => Deployment): void {
  let ca: PrivateCa;
  beforeAll(async () => {
    ca = newPrivateCa();
    await of().expectSuccess('sh', '-c', makeSecret.replace('certificate.pem key.pem', ca.combined));
    await of().up({ COMPOSE_FILE: 'docker-compose.yml:deploy/openssh/compose.yml:deploy/compose.tls.yml' });
  });
  afterAll(() => ca?.dispose());

  it('is served with the certificate, and the gateways send HSTS', async () => {
    const authority = readFileSync(ca.authority);
    expect(await settingsOver(of().ports.tls, authority)).toEqual([200, 'max-age=31536000']);
    await expect(settingsOver(of().ports.tls)).rejects.toThrow(/self-signed certificate|unable to verify/);
  });

  it('is the only way in', async () => {
    const { NetworkSettings } = await of().container('balancer');
    const published = Object.entries(NetworkSettings.Ports).filter(([, hosts]) => hosts);
    expect(published.map(([port]) => port)).toEqual(['5443/tcp']);
    await expect(fetch(`${of().url}/ping`)).rejects.toThrow('fetch failed');
  });
}

/** Returns the status and the HSTS header of an answer. */
const settingsOver = (port: number, ca?: Buffer) =>
  new Promise<[number | undefined, string | undefined]>((answered, failed) => {
    const target = { host: '127.0.0.1', port, path: '/api/public/settings', ...(ca && { ca }) };
    const call = request(target, (response) => {
      response.resume();
      answered([response.statusCode, response.headers['strict-transport-security']]);
    });
    call.on('error', failed).end();
  });
