import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = mkdtempSync(join(tmpdir(), 'keyfold-bench-'));
process.once('exit', () => rmSync(root, { recursive: true, force: true }));

/** A new folder on the disk of the machine that is gone when the process ends. */
export function temporaryFolder() {
  return mkdtempSync(join(root, 'data-'));
}
