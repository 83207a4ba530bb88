import { join } from 'node:path';
import { Accounts } from './accounts.mjs';
import { temporaryFolder } from './app.mjs';
import { Child } from './child.mjs';

export const CLIENTS = 64;
export const KEYS_LISTED = 5;
/** Keys that a client can add in a round, below the limit of 1,000 per account. */
export const KEYS_PER_ROUND = 950;
/** Requests of a round with one client, which could otherwise exceed the limit of keys per account. */
export const REQUESTS_ALONE = 600;

/**
 * Prepares processes and signed-in accounts for the measurements. `passes` is the number of measurements of each
 * subject; the bare server has as many threads as the app.
 */
export async function setStage(app, threads, passes) {
  const accounts = await Accounts.of(app.url);
  const server = new Child('./bare/pong.mjs');
  return {
    app,
    threads,
    bareServer: { pid: server.pid, url: `http://127.0.0.1:${await server.ask({ threads })}` },
    bareCommits: new Child('./bare/commits.mjs'),
    bareHashes: new Child('./bare/hashes.mjs'),
    commitsPath: join(temporaryFolder(), 'commits.db'),
    generators: [new Child('./generator.mjs'), new Child('./generator.mjs')],
    readers: await accounts.makeWithKeys(CLIENTS, KEYS_LISTED),
    /** Each round of adds takes fresh accounts, so that all rounds start with empty rings. */
    adders: await accounts.make((CLIENTS + 1) * passes),
  };
}
