import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { accountNamed, adminOf, createAccount, signedInAs } from '../accounts.js';
import { ApiClient } from '../api-client.js';
import { IsolatedServer } from '../isolated-server.js';
import { lastingPort } from '../lasting-port.js';
import { needs } from '../needs.js';
import { loginToken } from '../openssh/server-token.js';
import { builtHelper } from '../openssh/ssh-helper.js';
import { newPrivateCa, type PrivateCa } from '../private-ca.js';
import { StandaloneProcess } from '../standalone-process.js';

await needs('ProFTPD with TLS', 'curl');

/** Permission bits 10 and 11: log in over FTP, and write. */
const FTP = { login: 1 << 10, write: 1 << 11 };
/** The Unix user of all accounts. */
const ID = 2_903;

const DEPLOY = resolve(import.meta.dirname, '../../../deploy/pam');
const shipped = (name: string) => readFile(join(DEPLOY, name), 'utf8');

/** Returns a line of `keyfold account list --json`. */
const lineOf = (username: string, basePath: string) => `${JSON.stringify({ username, basePath })}\n`;

/** A name and a secret, and the address of the client. */
export type FtpLogin = Readonly<{ user: string; password: string; from?: string }>;

/** Debian's ProFTPD with the files of `deploy/pam`, and a Keyfold of its own. */
export class ProftpdSite {
  private constructor(
    readonly app: StandaloneProcess,
    private readonly admin: ApiClient,
    private readonly server: IsolatedServer,
    private readonly port: number,
    private readonly folder: string,
    private readonly ca: PrivateCa,
  ) {}

  /** Starts both. `isReadOnly` changes the shipped files as their comments say. */
  static async start(isReadOnly = false): Promise<ProftpdSite> {
    const [servers, port] = [await lastingPort(), await lastingPort()];
    const env = { KEYFOLD_SERVERS_PORT: String(servers), KEYFOLD_SERVERS_TRUSTED: '127.0.0.1' };
    const app = await StandaloneProcess.start(env);
    const admin = await adminOf(new ApiClient(app.baseUrl));
    const [folder, ca] = [await mkdtemp(join(tmpdir(), 'keyfold-proftpd-')), newPrivateCa()];
    await chmod(folder, 0o755);
    await builtHelper(folder);
    await mkdir(join(folder, 'site'));
    await copyFile(ca.certificate, join(folder, 'proftpd.crt'));
    await copyFile(ca.key, join(folder, 'proftpd.key'));
    const [config, service, proftpd] = await Promise.all(
      ['pam.conf', 'pam.d/keyfold-proftpd', 'proftpd.conf'].map(shipped),
    );
    const files = {
      'pam.conf': `${config!.replace(/^address .*$/m, `address http://127.0.0.1:${servers}`)}\nsyslog /run/log\n`,
      'pam.token': await loginToken(admin),
      'keyfold-proftpd': isReadOnly ? service!.replace(/ pam ftp$/m, ' pam ftp read-only') : service!,
      'proftpd.conf': isReadOnly ? proftpd!.replaceAll(/^#(<Limit|  Deny|<.Limit)/gm, '$1') : proftpd!,
      accounts: lineOf('first', '/first'),
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const script = join(import.meta.dirname, 'proftpd.sh');
    const server = await IsolatedServer.start(port, script, folder, String(port));
    return new ProftpdSite(app, admin, server, port, folder, ca);
  }

  /** Returns what keyfold-ssh logged. */
  get log(): string {
    return this.server.log;
  }

  /** Returns the path of a file in the folder of a base path. */
  file(basePath: string, name: string): string {
    return join(this.folder, 'site', basePath, 'files', name);
  }

  /** Creates an account that may write, with a base path of its own name unless the fields differ, and writes the users of the server. */
  async member(user: string, fields: object = {}): Promise<FtpLogin> {
    await createAccount(this.admin, user, { permission: FTP.login | FTP.write, base_path: `/${user}`, ...fields });
    await this.writeUsers();
    return { user, password: `pw-${user}` };
  }

  /** Runs the command of the guide with all accounts. */
  async writeUsers(): Promise<void> {
    const listed = await this.admin.get('/api/admin/user/list');
    const { content } = listed.data<{ content: { username: string; base_path: string }[] }>();
    const input = content.map(({ username, base_path }) => lineOf(username, base_path)).join('');
    const words = ['users', '/var/lib/keyfold-ftp/passwd', '/srv/ftp', String(ID)];
    await this.server.run('/usr/local/libexec/keyfold-ssh', words, input);
  }

  /** Creates an account that may only read. */
  reader(user: string): Promise<FtpLogin> {
    return this.member(user, { permission: FTP.login });
  }

  ownerOf(user: string): Promise<ApiClient> {
    return signedInAs(new ApiClient(this.app.baseUrl), user);
  }

  /** Changes some fields of an account, as an administrator. */
  async update(user: string, fields: object): Promise<void> {
    const account = await accountNamed(this.admin, user);
    (await this.admin.post('/api/admin/user/update', { ...account, ...fields })).data();
  }

  /** Logs in and lists what an account sees. */
  list(login: FtpLogin): Promise<FtpOutcome> {
    return this.#curl(login, '/');
  }

  async put(login: FtpLogin, path: string, text: string): Promise<FtpOutcome> {
    const file = join(this.folder, 'upload');
    await writeFile(file, text);
    return this.#curl(login, path, '--upload-file', file);
  }

  get(login: FtpLogin, path: string): Promise<FtpOutcome> {
    return this.#curl(login, path);
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await this.app.dispose();
    this.ca.dispose();
    await rm(this.folder, { recursive: true, force: true });
  }

  #curl({ user, password, from = '127.0.0.1' }: FtpLogin, path: string, ...words: string[]): Promise<FtpOutcome> {
    const options = ['--silent', '--show-error', '--max-time', '20', '--ssl-reqd', '--cacert', this.ca.authority];
    const login = ['--user', `${user}:${password}`, '--interface', from];
    const url = `ftp://127.0.0.1:${this.port}${path}`;
    return new Promise((answer) => {
      execFile('curl', [...options, ...login, ...words, url], (error, out, errors) =>
        answer({ succeeded: error === null, output: out + errors }),
      );
    });
  }
}

/** How a request of a client ended. `output` has the file or the list, and the reason of a failure. */
export type FtpOutcome = Readonly<{ succeeded: boolean; output: string }>;
