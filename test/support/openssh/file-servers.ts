import { adminOf } from '../accounts.js';
import { ApiClient } from '../api-client.js';
import { lastingPort } from '../lasting-port.js';
import { sharedApp } from '../shared-app.js';
import type { ProcessEnv, StandaloneProcess } from '../standalone-process.js';
import { loginToken, lookUpToken } from './server-token.js';

/** Permission bit 8: log in over WebDAV. */
export const WEBDAV = 1 << 8;
/** Permission bit 10: log in over SFTP. */
export const SFTP = 1 << 10;

/** Starts the standalone app with its servers port for all tests of a file. `servers` is a file server with its token. */
export async function servedFileServers(
  env: ProcessEnv = {},
): Promise<Readonly<{ app: StandaloneProcess; admin: ApiClient; servers: ApiClient }>> {
  const port = await lastingPort();
  const app = await sharedApp({ KEYFOLD_SERVERS_PORT: String(port), ...env });
  const admin = await adminOf(new ApiClient(app.baseUrl));
  const servers = new ApiClient(`http://127.0.0.1:${port}`).as(`Bearer ${await lookUpToken(admin)}`);
  return { app, admin, servers };
}

/**
 * The same for `servers` that check logins, and are believed about the addresses of their clients. `lookUps` may look up keys, and `api` is a client of the
 * API without a login.
 */
export async function servedLogins(env: ProcessEnv = {}) {
  const { app, admin, servers: lookUps } = await servedFileServers({ KEYFOLD_SERVERS_TRUSTED: '127.0.0.1', ...env });
  const api = new ApiClient(app.baseUrl);
  return { app, api, admin, lookUps, servers: lookUps.as(`Bearer ${await loginToken(admin)}`) };
}

/** Adds a key to the account of a client. */
export async function addKey(owner: ApiClient, title: string, key: string): Promise<void> {
  (await owner.post('/api/me/sshkey/add', { title, key })).data();
}
