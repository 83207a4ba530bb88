import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { afterwards } from '../afterwards.js';
import { needsStarted } from '../needs.js';
import { managementApi, type ManagementApi } from './management-api.js';
import type { FoundRabbitmq } from './rabbitmq.setup.js';

await needsStarted('RabbitMQ', async () => (await foundRabbitmq()).missing);

/** An empty virtual host on the test run's RabbitMQ. */
export type FreshBroker = Readonly<{
  /** With user, password and virtual host, like `KEYFOLD_RABBITMQ_URL`. */
  url: string;
  /** Without the virtual host, like `KEYFOLD_RABBITMQ_MANAGEMENT_URL`. */
  managementUrl: string;
  vhost: string;
  /** Calls the management API; `vhostPath` is the virtual host, encoded for a path. */
  api: ManagementApi;
  vhostPath: string;
}>;

/**
 * Creates an empty virtual host on the test run's RabbitMQ. Deletes it and closes its connections after the running
 * test, or after the file if called outside of a test (`beforeAll`).
 */
export async function freshBroker(): Promise<FreshBroker> {
  const { url, managementUrl } = await foundRabbitmq();
  const vhost = `keyfold-test-${randomUUID()}`;
  const vhostPath = encodeURIComponent(vhost);
  const api = managementApi(managementUrl);
  await api('PUT', `/vhosts/${vhostPath}`);
  afterwards(async () => {
    await api('DELETE', `/vhosts/${vhostPath}`);
  });
  const user = decodeURIComponent(new URL(url).username) || 'guest';
  await api('PUT', `/permissions/${vhostPath}/${encodeURIComponent(user)}`, {
    configure: '.*',
    write: '.*',
    read: '.*',
  });
  return { url: vhostUrl(url, vhost), managementUrl, vhost, api, vhostPath };
}

/** Returns the address of another virtual host of the same broker. */
export function vhostUrl(url: string, vhost: string): string {
  const parsed = new URL(url);
  parsed.pathname = `/${encodeURIComponent(vhost)}`;
  return parsed.toString();
}

/** Returns the run's RabbitMQ, and starts it on the first call. */
export async function foundRabbitmq(): Promise<FoundRabbitmq> {
  const answer = await fetch(inject('rabbitmqLocator'));
  return (await answer.json()) as FoundRabbitmq;
}
