import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Networks } from './networks.js';
import { searchPath } from '../programs.js';

/** Where a container asks for names, as with Docker. */
export const NAME_SERVER = '127.0.0.11';

/** Answers in a namespace for the names of its networks, an address for each container of a service. It ends with the namespace. */
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
  // It says so when it has begun; before that a signal would end it.
  const [words] = (await once(server.stderr, 'data')) as [Buffer];
  if (!String(words).includes('started')) throw new Error(`the name server did not start: ${String(words)}`);
  server.stderr.resume();
  networks.onNames(() => server.kill('SIGHUP'));
  server.unref();
}
