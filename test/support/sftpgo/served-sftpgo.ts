import type { ApiClient } from '../api-client.js';
import { servedFileServers } from '../openssh/file-servers.js';
import { loginToken } from '../openssh/server-token.js';
import type { ProcessEnv, StandaloneProcess } from '../standalone-process.js';
import { SftpgoServer } from './sftpgo-server.js';
import { sftpgoSettings, type SftpgoSettings } from './sftpgo-settings.js';

/** The folder of the site. Nothing is read or written there. */
export const SITE_ROOT = '/srv/site';

/** Starts the standalone app and an SFTPGo with the installed configuration. `servers` sends requests as SFTPGo would. */
export async function servedSftpgo(env: ProcessEnv = {}): Promise<
  Readonly<{
    app: StandaloneProcess;
    admin: ApiClient;
    servers: ApiClient;
    settings: SftpgoSettings;
    sftpgo: SftpgoServer;
  }>
> {
  const { app, admin, servers } = await servedFileServers(env);
  const token = await loginToken(admin, 'SFTPGo');
  const settings = sftpgoSettings({ keyfold: servers.baseUrl, root: SITE_ROOT, token });
  return { app, admin, servers: servers.as(`Bearer ${token}`), settings, sftpgo: new SftpgoServer(settings) };
}
