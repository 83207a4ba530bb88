import { once } from 'node:events';
import { createServer, type ListenOptions } from 'node:net';

/** Returns whether several threads can listen on one port; the kernel then spreads the connections. Only some systems can. */
export async function canSharePort(): Promise<boolean> {
  try {
    await tryToListen({ host: '127.0.0.1', port: 0, reusePort: true });
    return true;
  } catch {
    return false;
  }
}

/** Rejects if another program listens on the port. A shared port would otherwise be shared with another process of the same user. */
export async function requireFreePort(host: string, port: number): Promise<void> {
  if (port !== 0) await tryToListen({ host, port });
}

async function tryToListen(options: ListenOptions): Promise<void> {
  const server = createServer().listen(options);
  await once(server, 'listening');
  await once(server.close(), 'close');
}
