import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { FreshBroker } from './fresh-broker.js';

/** Patterns of names, like the arguments of `rabbitmqctl set_permissions`. A missing one matches nothing. */
type Permissions = Readonly<{ configure?: string; write?: string; read?: string }>;

/** Creates a user with these permissions only, deletes it after the test, and returns its address of the virtual host. */
export async function limitedUser({ api, url, vhostPath }: FreshBroker, permissions: Permissions): Promise<string> {
  const name = `limited-${randomUUID()}`;
  await api('PUT', `/users/${name}`, { password: 'limited', tags: '' });
  onTestFinished(async () => void (await api('DELETE', `/users/${name}`)));
  await api('PUT', `/permissions/${vhostPath}/${name}`, { configure: '^$', write: '^$', read: '^$', ...permissions });
  const address = new URL(url);
  address.username = name;
  address.password = 'limited';
  return address.toString();
}
