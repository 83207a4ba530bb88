import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Returns what systemd would report about a unit when it loads it, and about its commands; nothing if the unit is right. */
export function unitProblems(name: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'keyfold-unit-'));
  try {
    writeFileSync(join(folder, name), text);
    const { stdout, stderr, error } = spawnSync('systemd-analyze', ['verify', '--man=no', join(folder, name)], {
      encoding: 'utf8',
    });
    if (error) throw error;
    return stdout + stderr;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
