import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { accountNamed, createAccount, signedInAs } from '../support/accounts.js';
import type { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { sftp } from '../support/openssh/sftp.js';
import { newKeyPair, type KeyPair } from '../support/openssh/key-pair.js';
import type { Deployment } from './deployment.js';
import { until } from './until.js';

/** Permission bit 10: log in over SFTP; with bit 11 also write. */
const [READ, WRITE] = [1 << 10, 0b11 << 10];

const text = readFileSync(resolve(import.meta.dirname, '../../deploy/openssh/compose.yml'), 'utf8');
const [, commands = ''] = /^#   (docker compose run [^]*? <accounts)$/m.exec(text) ?? [];
const MAKE_USERS = commands.replaceAll(/^#/gm, '');

type Listed = Readonly<{ id: number; fingerprint: string; last_used_time: string; added_time: string }>;

/** Declares the tests of the sshd that `deploy/openssh/compose.yml` adds to a deployment. */
export function itServesFiles(of: () => Deployment): void {
  let writer: ApiClient;
  const pairs: Record<string, KeyPair> = {};
  const sftpAs = (name: string, commands?: string) => sftp(of().ports.sftp, name, pairs[name]!, commands);
  const keysOf = async (client: ApiClient) =>
    (await client.get('/api/me/sshkey/list')).data<{ content: Listed[] }>().content;

  /** Makes all accounts known to sshd, with the commands of its compose file. Returns what the second one printed. */
  const makeUsers = () => of().expectSuccess('sh', '-c', MAKE_USERS);

  beforeAll(async () => {
    const admin = await of().admin();
    for (const [name, permission] of Object.entries({ writer: WRITE, reader: READ, nobody: 0 })) {
      await createAccount(admin, name, { permission, base_path: name === 'reader' ? '/team/writer' : `/team/${name}` });
      const client = await signedInAs(of().api, name);
      pairs[name] = await newKeyPair(of().folder);
      (await client.post('/api/me/sshkey/add', { title: 'laptop', key: pairs[name].line })).data();
      if (name === 'writer') writer = client;
    }
  });

  it('knows no account until the command of its file has run, and then each with a usable name', async () => {
    expect(await sftpAs('writer')).toMatchObject({ succeeded: false });
    const made = await makeUsers();
    expect(made).toMatch(/^\/var\/lib\/extrausers\/passwd has [1-9]\d* users$/m);
    expect(await sftpAs('writer')).toMatchObject({ succeeded: true });
  });

  it('opens a session below the base path of the account, with a key that was added over the API', async () => {
    const session = await sftpAs('writer', 'put /etc/hostname mine\nls -l\npwd\ncd /\nls -1');
    expect(session, await of().logs('sshd')).toMatchObject({ succeeded: true });
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
      expect(await sftp(of().ports.sftp, name, pairs['writer']!)).toMatchObject({ succeeded: false });
  });

  it('opens 30 sessions at once', async () => {
    const sessions = await Promise.all(Array.from({ length: 30 }, () => sftpAs('writer')));
    expect(sessions.filter(({ succeeded }) => !succeeded).map(({ output }) => output)).toEqual([]);
  });

  it('opens a session while any one of the gateways restarts', async () => {
    for (const gateway of await of().containers('gateway')) {
      const restarted = of().restart(gateway);
      expect(await sftpAs('writer'), gateway.Name).toMatchObject({ succeeded: true });
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
    const log = await of().logs('sshd');
    expect(log).toMatch(
      new RegExp(`Accepted publickey for writer from \\S+ port \\d+ ssh2: ED25519 ${escaped(fingerprint)}`),
    );
  });

  it('logs nothing about its health checks', async () => {
    const { State } = await of().container('sshd');
    expect(State.Health!.Log!.length).toBeGreaterThan(0);
    expect(await of().logs('sshd')).not.toContain('127.0.0.1');
  });

  it('refuses an account that moved until its line is written again', async () => {
    const admin = await of().admin();
    const reader = await accountNamed(admin, 'reader');
    (await admin.post('/api/admin/user/update', { ...reader, base_path: '/team/reader' })).data();
    expect(await sftpAs('reader')).toMatchObject({ succeeded: false });
    expect(await of().logs('sshd')).toContain('Run keyfold-ssh users again');
    await makeUsers();
    expect(await sftpAs('reader', 'ls -l')).toMatchObject({
      succeeded: true,
      output: expect.not.stringContaining('mine'),
    });
  });

  it('ends idle logins after 30 seconds, and others get their places', async () => {
    const places = async () => {
      const { output } = await of().exec('sshd', 'sh', '-c', 'cat /proc/[0-9]*/cmdline | tr "\\0" "\\n"');
      return Number(/ (\d+) of 100-100 startups/.exec(output)?.[1]);
    };
    const idle = Array.from({ length: 100 }, () => connect(of().ports.sftp, '127.0.0.1'));
    // After this line, another user than root runs the process of the login.
    for (const socket of idle) socket.on('error', () => undefined).write('SSH-2.0-idle\r\n');
    await until(async () => (await places()) === 100, 'idle logins hold all places');
    expect(await sftpAs('writer')).toMatchObject({ succeeded: false });
    await until(async () => (await places()) === 0, 'sshd ends the idle logins');
    expect(await sftpAs('writer')).toMatchObject({ succeeded: true });
    for (const socket of idle) socket.destroy();
  });

  it('refuses a key as soon as it was removed', async () => {
    const [key] = await keysOf(writer);
    (await writer.post(`/api/me/sshkey/delete?id=${key!.id}`)).data();
    expect(await sftpAs('writer')).toMatchObject({ succeeded: false });
  });

  it.each([
    ['mongo', 'data', 27_017],
    ['rabbitmq', 'messages', 5_672],
  ])('cannot reach %s', async (service, network, port) => {
    const [host] = await of().addresses(service, network);
    const { code } = await of().exec('sshd', 'bash', '-c', `timeout 1 bash -c '</dev/tcp/${host}/${port}'`);
    expect(code).not.toBe(0);
  });

  it('runs with the few rights that it needs, and cannot change its files', async () => {
    const script = 'grep CapBnd /proc/self/status; touch /changed 2>&1 || true';
    const { output } = await of().exec('sshd', 'sh', '-c', script);
    // CHOWN, KILL, SETGID, SETUID, SYS_CHROOT and AUDIT_WRITE.
    expect(output).toMatch(/CapBnd:\s+00000000200400e1$/m);
    expect(output).toContain('Read-only file system');
  });
}

const escaped = (text: string) => text.replace(/[+.]/g, '\\$&');
