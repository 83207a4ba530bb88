import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = mkdtempSync(join(tmpdir(), 'keyfold-bench-'));
process.once('exit', () => rmSync(root, { recursive: true, force: true }));

/** Returns a new folder on the disk of this machine that is deleted when the process ends. */
export function temporaryFolder() {
  return mkdtempSync(join(root, 'data-'));
}
