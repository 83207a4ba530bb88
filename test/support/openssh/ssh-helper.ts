import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, onTestFinished } from 'vitest';
import { needs } from '../needs.js';

await needs('Go 1.26');

const SOURCES = resolve(import.meta.dirname, '../../../deploy/openssh/keyfold-ssh');
const run = promisify(execFile);

/** The form of an access token. */
export const TOKEN = `kf_${'a1B2c3'.repeat(7)}`;

/** The output and exit status of a run of the helper. */
export type HelperRun = Readonly<{ status: number; out: string; errors: string; milliseconds: number }>;

/** Checks the sources of `keyfold-ssh`, compiles them as docs/connect/openssh.md describes, and returns the path of the program. */
export async function builtHelper(folder: string): Promise<string> {
  const env = { ...process.env, CGO_ENABLED: '0' };
  const { stdout: unformatted } = await run('gofmt', ['-l', '.'], { cwd: SOURCES, env });
  if (unformatted !== '') throw new Error(`gofmt would change ${unformatted}`);
  await run('go', ['vet', '.'], { cwd: SOURCES, env });
  const program = join(folder, 'keyfold-ssh');
  await run('go', ['build', '-trimpath', '-ldflags=-s -w', '-o', program, '.'], { cwd: SOURCES, env });
  return program;
}

/** Adds the helper for a processor to an empty folder, as a release does. Returns the program, the notices and the version of Go. */
export async function releasedHelper(cpu: string): Promise<{ program: Buffer; notices: string; version: string }> {
  const script = resolve(SOURCES, '../../../scripts/release/archive.mjs');
  const { addSshHelper } = (await import(script)) as {
    addSshHelper: (folder: string, cpu: string, isRelease: boolean) => string;
  };
  const folder = await mkdtemp(join(tmpdir(), 'keyfold-helper-'));
  try {
    const version = addSshHelper(folder, cpu, true);
    const notices = await readFile(join(folder, 'THIRD_PARTY_NOTICES'), 'utf8');
    return { program: await readFile(join(folder, 'keyfold-ssh')), notices, version };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Runs the helper's own tests, which set its clock. Throws with their output. */
export async function testHelper(): Promise<void> {
  await run('go', ['test', '.'], { cwd: SOURCES }).catch((error: { stdout?: string }) => {
    throw new Error(`go test failed:\n${error.stdout}`, { cause: error });
  });
}

/** Builds the helper for all tests of a file. Call it at the top level of the file. */
export async function sharedHelper(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'keyfold-helper-'));
  afterAll(() => rm(folder, { recursive: true }));
  return builtHelper(folder);
}

/** A configuration of the helper in a temporary folder, which only its user can enter. */
export class HelperSetup {
  readonly config: string;
  readonly tokenFile: string;
  readonly cache: string;

  private constructor(
    private readonly program: string,
    readonly folder: string,
  ) {
    this.config = join(folder, 'ssh.conf');
    this.tokenFile = join(folder, 'token');
    this.cache = join(folder, 'cache');
  }

  /** Prepares a configuration with these addresses and further lines for the current test. */
  static async ofTest(program: string, addresses: readonly string[], ...lines: string[]): Promise<HelperSetup> {
    const setup = new HelperSetup(program, await mkdtemp(join(tmpdir(), 'keyfold-ssh-')));
    await mkdir(setup.cache, { mode: 0o700 });
    await setup.setToken(TOKEN);
    await setup.configure(addresses, ...lines);
    onTestFinished(() => rm(setup.folder, { recursive: true, force: true }));
    return setup;
  }

  /** Replaces the configuration. `cache-time` turns the cache on. */
  async configure(addresses: readonly string[], ...lines: string[]): Promise<void> {
    const all = [
      '# A comment and an empty line are ignored.',
      '',
      ...addresses.map((address) => `address ${address}`),
      `token-file ${this.tokenFile}`,
      `cache-folder ${this.cache}`,
      `syslog ${join(this.folder, 'log')}`,
      ...lines,
    ];
    await writeFile(this.config, `${all.join('\n')}\n`);
    await chmod(this.config, 0o644);
  }

  async setToken(token: string): Promise<void> {
    await writeFile(this.tokenFile, `${token}\n`, { mode: 0o600 });
  }

  /** Asks for a key, as sshd does. */
  keys(user: string, line: string): Promise<HelperRun> {
    const [kind = '', blob = ''] = line.split(' ');
    return this.run(['keys', user, kind, blob]);
  }

  /** Asks for a key that may only transfer files, as sshd does. */
  sftpKeys(user: string, line: string, home = `/srv/sftp/${user}`): Promise<HelperRun> {
    const [kind = '', blob = ''] = line.split(' ');
    return this.run(['sftp-keys', '/srv/sftp', home, user, kind, blob]);
  }

  /** Reports a login, as pam_exec does. */
  used(variables: Readonly<Record<string, string>>): Promise<HelperRun> {
    return this.run(['used'], variables);
  }

  /** Runs the helper with these arguments, and with no other variables of the environment. */
  async run(
    words: readonly string[],
    env: Readonly<Record<string, string>> = {},
    config = this.config,
    input = '',
  ): Promise<HelperRun> {
    const since = performance.now();
    const running = run(this.program, ['-config', config, ...words], { env, timeout: 60_000 });
    // A program that does not read its input may have ended.
    running.child.stdin!.on('error', () => undefined).end(input);
    const done = running.then(
      ({ stdout, stderr }) => ({ status: 0, out: stdout, errors: stderr }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
        status: code,
        out: stdout,
        errors: stderr,
      }),
    );
    return { ...(await done), milliseconds: performance.now() - since };
  }
}
