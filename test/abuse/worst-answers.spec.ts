import { describe, expect, it } from 'vitest';
import { keyfold } from '../support/cli.js';
import { lastingPort } from '../support/lasting-port.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { appendCommits } from './append-commits.js';
import { figuresOf } from './process-costs.js';
import { describeWorstAnswers } from './worst-answers.js';

const MEBIBYTE = 1024 * 1024;
/** Several times as many full rings as fit in the cache. */
const RINGS = 60;
/**
 * MiB of heap for a process with full caches. The caches are limited to 48 MiB, and the program uses about as much. All
 * rings with their answers would take 200 MiB and crash the process.
 */
const HEAP = 192;
/** The limit for the growth of such a process, including buffers and database pages outside the heap. */
const MOST_GROWTH = 512 * MEBIBYTE;

describe('the worst answers of the embedded store', () => {
  let app: StandaloneProcess;
  let managementPort: number;
  const managementUrl = () => `http://127.0.0.1:${managementPort}`;
  const { cast } = describeWorstAnswers(
    async () => {
      managementPort = await lastingPort();
      app = await StandaloneProcess.start({ KEYFOLD_MANAGEMENT_PORT: String(managementPort) });
      return {
        baseUrl: app.baseUrl,
        managementUrl: managementUrl(),
        append: (commits) => appendCommits(app, commits),
        dispose: () => app.dispose(),
      };
    },
    { rings: RINGS },
  );

  it('include those of the `keyfold` command', async () => {
    const { manyId, longId } = cast();
    for (const args of [
      ['events', 'show', `ssh-keys-${manyId}`],
      ['events', 'show', `ssh-keys-${longId}`, '--json'],
      ['projections', 'status'],
    ]) {
      const { status, out, err } = await keyfold({ KEYFOLD_DATA_DIR: app.dataDir }, ...args);
      expect(status, `${args.join(' ')}: ${err}`).toBe(0);
      console.log(`keyfold ${args.slice(0, 2).join(' ')}: ${out.length} characters`);
      // A ring, plus the lines of a commit for each key.
      expect(Buffer.byteLength(out)).toBeLessThan(4 * 1024 * 1024);
    }
  });

  it('keep the memory of a process within its limits when its caches are full', async () => {
    await app.restart({ NODE_OPTIONS: `--max-old-space-size=${HEAP}` });
    const { admin, accountIds, ringIds } = cast();
    const before = await figuresOf(managementUrl());
    for (const id of accountIds.slice(-200)) await admin.get(`/api/admin/user/get?id=${id}`);
    for (const id of ringIds) {
      const list = await admin.get(`/api/admin/user/sshkey/list?uid=${id}`);
      expect(list.data<{ total: number }>().total).toBe(1_000);
    }
    const { memory } = await figuresOf(managementUrl());
    console.log(`memory: ${Math.round(before.memory / MEBIBYTE)} MiB, then ${Math.round(memory / MEBIBYTE)} MiB`);
    expect(memory - before.memory).toBeLessThan(MOST_GROWTH);
  });
});
