import { randomUUID } from 'node:crypto';
import { afterAll, inject, onTestFinished } from 'vitest';
import { managementApi, type ManagementApi } from './management-api.js';
import type { FoundRabbitmq } from './rabbitmq.setup.js';

/** An empty virtual host on the RabbitMQ of the test run. */
export type FreshBroker = Readonly<{
  /** With user, password and virtual host, as `KEYFOLD_RABBITMQ_URL` is. */
  url: string;
  /** As `KEYFOLD_RABBITMQ_MANAGEMENT_URL` is: without the virtual host. */
  managementUrl: string;
  vhost: string;
  /** Asks the management API; `vhostPath` goes into the path where it wants a virtual host. */
  api: ManagementApi;
  vhostPath: string;
}>;

/**
 * An empty virtual host of its own on the RabbitMQ of the test run. It is deleted, and its connections closed, after the running test,
 * or after the file when no test runs yet (`beforeAll`).
 */
export async function freshBroker(): Promise<FreshBroker> {
  const { url, managementUrl, missing } = await foundRabbitmq();
  if (missing) throw new Error(missing);
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

/** The address of another virtual host of the same broker. */
export function vhostUrl(url: string, vhost: string): string {
  const parsed = new URL(url);
  parsed.pathname = `/${encodeURIComponent(vhost)}`;
  return parsed.toString();
}

/** Which RabbitMQ the run has; starts it when nobody asked before. */
export async function foundRabbitmq(): Promise<FoundRabbitmq> {
  const answer = await fetch(inject('rabbitmqLocator'));
  return (await answer.json()) as FoundRabbitmq;
}

type Cleanup = () => Promise<void>;
const afterFile: Cleanup[] = [];

afterAll(async () => {
  for (const cleanup of afterFile.splice(0).toReversed()) await cleanup();
});

function afterwards(cleanup: Cleanup): void {
  try {
    onTestFinished(cleanup);
  } catch {
    // Outside of a test vitest knows no end of one.
    afterFile.push(cleanup);
  }
}
