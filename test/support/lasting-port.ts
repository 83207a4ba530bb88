import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ephemeral range, so that nothing takes the port while its owner is down. */
const FIRST = 20_000;
/** Parallel files use different ranges, so that no file gets a port of another file's stopped process. */
const RANGES = 10;
const RANGE = 1_000;

const given = new Set<number>();

/** Returns a port of 127.0.0.1 that its owner can release and take again. Never returns the same port twice. */
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
