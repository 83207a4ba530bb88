import { beforeAll, expect, it } from 'vitest';
import { accountNamed, adminOf, createAccount, signedInAs } from '../support/accounts.js';
import type { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { newKeyPair, type KeyPair } from '../support/openssh/key-pair.js';
import type { Deployment } from './deployment.js';

/** Permission bit 10: log in over SFTP; with bit 11 also write. */
const [READ, WRITE] = [1 << 10, 0b11 << 10];

type Listed = Readonly<{ id: number; fingerprint: string; last_used_time: string; added_time: string }>;

/** Declares the tests of the sshd that `deploy/openssh/compose.yml` adds to a deployment. */
export function itServesFiles(of: () => Deployment): void {
  let writer: ApiClient;
  const pairs: Record<string, KeyPair> = {};
  const sftpAs = (name: string, commands?: string) => of().logInToSftp(name, pairs[name]!, commands);
  const keysOf = async (client: ApiClient) =>
    (await client.get('/api/me/sshkey/list')).data<{ content: Listed[] }>().content;

  beforeAll(async () => {
    const admin = await adminOf(await of().apiFrom('192.0.2.40'));
    for (const [name, permission] of Object.entries({ writer: WRITE, reader: READ, nobody: 0 })) {
      await createAccount(admin, name, { permission, base_path: name === 'reader' ? '/team/writer' : `/team/${name}` });
      const client = await signedInAs(await of().apiFrom('192.0.2.40'), name);
      pairs[name] = await newKeyPair(of().folder);
      (await client.post('/api/me/sshkey/add', { title: 'laptop', key: pairs[name].line })).data();
      if (name === 'writer') writer = client;
    }
  });

  it('knows no account until the command of its file has run, and then each with a usable name', async () => {
    expect(await sftpAs('writer')).toMatchObject({ succeeded: false });
    const made = await of().makeUsers();
    expect(made).toMatch(/^\/var\/lib\/extrausers\/passwd has [1-9]\d* users$/m);
    expect(await sftpAs('writer')).toMatchObject({ succeeded: true });
  });

  it('opens a session below the base path of the account, with a key that was added over the API', async () => {
    const session = await sftpAs('writer', 'put /etc/hostname mine\nls -l\npwd\ncd /\nls -1');
    expect(session, await of().project.containers('sshd')[0]?.output()).toMatchObject({ succeeded: true });
    expect(session.output).toMatch(/^-.* mine$/m);
    expect(session.output).toContain('Remote working directory: /files');
    expect(session.output).toMatch(/sftp> ls -1\nfiles\n/);
  });

  it('lets an account without the permission to write only read', async () => {
    const read = await sftpAs('reader', 'get mine /dev/null');
    expect(read).toMatchObject({ succeeded: true });
    for (const command of [
      'put /etc/hostname other',
      'rm mine',
      'mkdir other',
      'rename mine other',
      'chmod 777 mine',
    ]) {
      const refused = await sftpAs('reader', command);
      expect(refused, command).toMatchObject({ succeeded: false, output: expect.stringContaining('denied') });
    }
  });

  it('refuses accounts without the permission, foreign keys, and names of the machine', async () => {
    expect(await sftpAs('nobody')).toMatchObject({ succeeded: false });
    for (const name of ['reader', 'root', 'keyfold-ssh', 'keyfold-sftp'])
      expect(await of().logInToSftp(name, pairs['writer']!)).toMatchObject({ succeeded: false });
  });

  it('opens 30 sessions at once', async () => {
    const sessions = await Promise.all(Array.from({ length: 30 }, () => sftpAs('writer')));
    expect(sessions.filter(({ succeeded }) => !succeeded).map(({ output }) => output)).toEqual([]);
  });

  it('opens a session while any one of the gateways restarts', async () => {
    for (const gateway of of().project.containers('gateway')) {
      const restarted = of().project.restart(gateway);
      expect(await sftpAs('writer'), gateway.name).toMatchObject({ succeeded: true });
      await restarted;
    }
    await of().untilBalanced();
  });

  it('reports the use of a key to Keyfold, and who logged in to its log', async () => {
    const { fingerprint } = pairs['writer']!;
    await eventually(async () => {
      const key = (await keysOf(writer)).find((each) => each.fingerprint === fingerprint)!;
      expect(key.last_used_time).not.toBe(key.added_time);
    });
    const log = await of().project.containers('sshd')[0]!.output();
    expect(log).toMatch(
      new RegExp(`Accepted publickey for writer from \\S+ port \\d+ ssh2: ED25519 ${escaped(fingerprint)}`),
    );
  });

  it('refuses an account that moved until its line is written again', async () => {
    const admin = await adminOf(await of().apiFrom('192.0.2.41'));
    const reader = await accountNamed(admin, 'reader');
    (await admin.post('/api/admin/user/update', { ...reader, base_path: '/team/reader' })).data();
    expect(await sftpAs('reader')).toMatchObject({ succeeded: false });
    expect(await of().project.containers('sshd')[0]!.output()).toContain('Run keyfold-ssh users again');
    await of().makeUsers();
    expect(await sftpAs('reader', 'ls -l')).toMatchObject({
      succeeded: true,
      output: expect.not.stringContaining('mine'),
    });
  });

  it('refuses a key as soon as it was removed', async () => {
    const [key] = await keysOf(writer);
    (await writer.post(`/api/me/sshkey/delete?id=${key!.id}`)).data();
    expect(await sftpAs('writer')).toMatchObject({ succeeded: false });
  });

  it('runs with the few rights that it needs, and cannot change its files', async () => {
    const script = 'grep CapBnd /proc/self/status; touch /changed 2>&1 || true';
    const { output } = (await of().project.containers('sshd')[0]!.exec(['sh', '-c', script])) ?? {};
    // CHOWN, SETGID, SETUID, SYS_CHROOT and AUDIT_WRITE.
    expect(output).toMatch(/CapBnd:\s+00000000200400c1$/m);
    expect(output).toContain('Read-only file system');
  });
}

const escaped = (text: string) => text.replace(/[+.]/g, '\\$&');
