import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that systems hand out, so that nothing takes it while its owner is down. */
const FIRST = 20_000;
/** Files that run side by side take their ports from different ranges: one does not get a port whose owner is down in the other. */
const RANGES = 10;
const RANGE = 1_000;

const given = new Set<number>();

/** A port of 127.0.0.1 that its owner may give up for a while and take again. No port is given twice. */
export async function lastingPort(): Promise<number> {
  const range = Number(process.env['VITEST_POOL_ID'] ?? 0) % RANGES;
  for (;;) {
    const port = FIRST + RANGE * range + randomInt(RANGE);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((answer) => {
    server.once('error', () => answer(false));
    server.listen(port, '127.0.0.1', () => server.close(() => answer(true)));
  });
}
