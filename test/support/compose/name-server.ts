import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Networks } from './networks.js';
import { searchPath } from '../programs.js';

/** The address of the name server in every container, as with Docker. */
export const NAME_SERVER = '127.0.0.11';

/**
 * Starts a DNS server in a namespace. It answers with one address for each container of a service and ends with the
 * namespace.
 */
export async function startNameServer(namespace: string, networks: Networks, joined: readonly string[]): Promise<void> {
  const options = [
    '--keep-in-foreground',
    '--log-facility=-',
    '--conf-file=/dev/null',
    '--no-resolv',
    '--no-hosts',
    '--bind-interfaces',
    '--user=root',
    '--pid-file=',
    '--cache-size=0',
    `--listen-address=${NAME_SERVER}`,
    ...joined.map((network) => `--addn-hosts=${networks.namesFile(network)}`),
  ];
  const server = spawn('nsenter', [`--net=/run/netns/${namespace}`, 'dnsmasq', ...options], {
    env: { PATH: searchPath },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // The server announces its start; a signal before that would kill it.
  const [words] = (await once(server.stderr, 'data')) as [Buffer];
  if (!String(words).includes('started')) throw new Error(`the name server failed to start: ${String(words)}`);
  server.stderr.resume();
  networks.onNames(() => server.kill('SIGHUP'));
  server.unref();
}
