import { accountNamed, adminOf, createAccount, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { lastingPort } from '../support/lasting-port.js';
import type { KeyPair } from '../support/openssh/key-pair.js';
import { lookUpToken } from '../support/openssh/server-token.js';
import { Sshd, type SshdOptions } from '../support/openssh/sshd.js';
import { StandaloneProcess } from '../support/standalone-process.js';

/** Permission bits 10 and 11: log in over SFTP, and write. */
export const SFTP = 0b1100_0000_0000;

/** A key in the list of an account. */
export type ListedKey = Readonly<{ id: number; title: string; last_used_time: string; added_time: string }>;

/** A service, and an sshd that asks it. */
export class OpensshSite {
  private constructor(
    readonly sshd: Sshd,
    readonly app: StandaloneProcess,
    private readonly admin: ApiClient,
    private readonly port: number,
    private readonly token: string,
  ) {}

  /** Starts both. The users of the machine and those who share one get accounts, which may transfer files. */
  static async start(options: Pick<SshdOptions, 'users' | 'accounts' | 'timeout'>): Promise<OpensshSite> {
    const { users, accounts = [] } = options;
    const port = await lastingPort();
    const app = await StandaloneProcess.start({ KEYFOLD_SERVERS_PORT: String(port) });
    const admin = await adminOf(new ApiClient(app.baseUrl));
    const token = await lookUpToken(admin);
    const addresses = [`http://127.0.0.1:${port}`];
    const sshd = await Sshd.start({ ...options, addresses, token, cacheTime: '1h', users: [...users, 'zoe'] });
    for (const name of users) await createAccount(admin, name, { permission: SFTP });
    for (const { username, basePath } of accounts)
      await createAccount(admin, username, { permission: SFTP, base_path: basePath });
    return new OpensshSite(sshd, app, admin, port, token);
  }

  async stop(): Promise<void> {
    await this.sshd.stop();
    await this.app.dispose();
  }

  clientOf(name: string): Promise<ApiClient> {
    return signedInAs(new ApiClient(this.app.baseUrl), name);
  }

  /** Creates a key pair and adds it to an account. */
  async keyOf(owner: ApiClient, title = 'laptop'): Promise<KeyPair> {
    const pair = await this.sshd.newKeyPair();
    await addKey(owner, pair, title);
    return pair;
  }

  /** Changes some fields of an account, as an administrator. */
  async update(name: string, fields: object): Promise<void> {
    const account = await accountNamed(this.admin, name);
    (await this.admin.post('/api/admin/user/update', { ...account, ...fields })).data();
  }

  /** Returns Keyfold's answer about a key, which the program of sshd would get. */
  async lookUp(username: string, { fingerprint }: KeyPair): Promise<string> {
    const query = new URLSearchParams({ username, fingerprint }).toString();
    const headers = { authorization: `Bearer ${this.token}` };
    const answer = await fetch(`http://127.0.0.1:${this.port}/authorized_keys?${query}`, { headers });
    return answer.text();
  }
}

export const keysOf = async (owner: ApiClient) =>
  (await owner.get('/api/me/sshkey/list?per_page=1000')).data<{ content: ListedKey[] }>().content;

export async function addKey(owner: ApiClient, { line }: Pick<KeyPair, 'line'>, title: string): Promise<void> {
  (await owner.post('/api/me/sshkey/add', { title, key: line })).data();
}

export async function removeKey(owner: ApiClient, title: string): Promise<void> {
  const key = (await keysOf(owner)).find((each) => each.title === title);
  (await owner.post(`/api/me/sshkey/delete?id=${key!.id}`)).data();
}
