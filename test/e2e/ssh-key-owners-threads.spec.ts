import { afterAll, beforeAll, it } from 'vitest';
import { expectOwnersFound } from '../support/key-owner-reads.js';
import { StandaloneProcess } from '../support/standalone-process.js';

let app: StandaloneProcess;

beforeAll(async () => {
  app = await StandaloneProcess.start({ KEYFOLD_THREADS: '4' });
});
afterAll(() => app?.dispose());

it('the owner of a key is found in another thread at once, and no longer after its removal', { timeout: 60_000 }, () =>
  // Each request has its own connection, and connections go to the threads in turn.
  expectOwnersFound([app.baseUrl, app.baseUrl], 'ann', 300),
);
