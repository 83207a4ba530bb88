import { accountNamed, adminOf, createAccount } from '../accounts.js';
import { ApiClient } from '../api-client.js';
import { lastingPort } from '../lasting-port.js';
import { loginToken } from '../openssh/server-token.js';
import { StandaloneProcess } from '../standalone-process.js';
import { clientOf, type FileClient } from './file-client.js';
import { rclonePrograms } from './rclone-programs.js';
import { RcloneServer, type RcloneOptions } from './rclone-server.js';
import type { RcloneProtocol } from './rclone-unit.js';

/** Permission bits of WebDAV, and of SFTP and FTP: log in, and write. */
const WEBDAV = { login: 1 << 8, write: 1 << 9 };
const SFTP = { login: 1 << 10, write: 1 << 11 };

/** A user with the password that `createAccount` chooses. */
export type Member = Readonly<{ user: string; password: string }>;

/** A server of rclone with a Keyfold of its own. */
export class RcloneSite {
  private constructor(
    readonly app: StandaloneProcess,
    readonly admin: ApiClient,
    private readonly options: RcloneOptions,
    private current: RcloneServer,
  ) {}

  static async start(
    release: keyof typeof rclonePrograms,
    protocol: RcloneProtocol,
    acceptKeys = false,
  ): Promise<RcloneSite> {
    const port = await lastingPort();
    const servers = { KEYFOLD_SERVERS_PORT: String(port), KEYFOLD_SERVERS_TRUSTED: '127.0.0.1' };
    const app = await StandaloneProcess.start(servers);
    const admin = await adminOf(new ApiClient(app.baseUrl));
    const addresses = [`http://127.0.0.1:${port}`];
    const token = await loginToken(admin);
    const options = { program: rclonePrograms[release], protocol, addresses, token, acceptKeys };
    return new RcloneSite(app, admin, options, await RcloneServer.start(options));
  }

  get server(): RcloneServer {
    return this.current;
  }

  get client(): FileClient {
    return clientOf(this.current);
  }

  /** The permission bits of the protocol, and the right to log in over another one. */
  get permissions(): Readonly<{ login: number; write: number; other: number }> {
    return this.options.protocol === 'webdav' ? { ...WEBDAV, other: SFTP.login } : { ...SFTP, other: WEBDAV.login };
  }

  /** Creates an account that may write, and its folder. The base path is the name unless the fields say otherwise. */
  async member(user: string, fields: object = {}): Promise<Member> {
    const { login, write } = this.permissions;
    await createAccount(this.admin, user, { permission: login | write, base_path: `/${user}`, ...fields });
    await this.server.addFolder(user);
    return { user, password: `pw-${user}` };
  }

  /** Changes some fields of an account, as an administrator. */
  async update(user: string, fields: object): Promise<void> {
    const account = await accountNamed(this.admin, user);
    (await this.admin.post('/api/admin/user/update', { ...account, ...fields })).data();
  }

  /** Starts rclone anew, with an empty site. */
  async restartRclone(): Promise<void> {
    await this.current.stop();
    this.current = await RcloneServer.start(this.options);
  }

  async stop(): Promise<void> {
    await this.current.stop();
    await this.app.dispose();
  }
}
