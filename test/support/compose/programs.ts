import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** The programs that stand in for a Docker engine, and the Debian package that has each. */
const NEEDED = {
  ip: 'iproute2',
  dnsmasq: 'dnsmasq-base',
  haproxy: 'haproxy',
  wget: 'wget',
  unshare: 'util-linux',
  nsenter: 'util-linux',
  setpriv: 'util-linux',
  mount: 'mount',
} as const;

/** Where Debian has programs of administrators, outside of the search path of some users. */
export const SEARCH_PATH = `${process.env['PATH'] ?? ''}:/usr/local/sbin:/usr/sbin:/sbin`;

/** Runs a program of the machine and answers what it printed. Throws with its own words. */
export async function run(program: string, ...parameters: readonly string[]): Promise<string> {
  try {
    const { stdout } = await execute(program, parameters, {
      env: { ...process.env, PATH: SEARCH_PATH },
      timeout: 60_000,
    });
    return stdout;
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string };
    throw new Error(`${program} ${parameters.join(' ')}: ${stderr.trim() || message}`, { cause: error });
  }
}

/** Throws one line that says what this machine lacks to run containers without Docker. */
export async function requirePrograms(): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error(`docker-compose.yml is run in namespaces of Linux, which needs root`);
  const looks = Object.entries(NEEDED).map(async ([program, debian]) =>
    run('sh', '-c', `command -v ${program}`).then(
      () => undefined,
      () => `${program} (Debian package ${debian})`,
    ),
  );
  const missing = (await Promise.all(looks)).filter((each) => each !== undefined);
  if (missing.length > 0)
    throw new Error(`docker-compose.yml cannot be run here, because these are missing: ${missing.join(', ')}`);
}
