import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needs } from '../needs.js';

await needs('systemd-analyze');

/** Returns what systemd would report about a unit when it loads it, and about its commands; nothing if the unit is right. */
export const unitProblems = (name: string, text: string): string => analyzed(['verify', '--man=no'], name, text);

/** Returns how much of the machine a unit exposes to its service: from 0, nothing, to 10. */
export function unitExposure(name: string, text: string): number {
  const report = analyzed(['security', '--offline=true', '--no-pager'], name, text);
  const [, exposure] = /exposure level for \S+: (\d+\.\d)/.exec(report) ?? [];
  if (exposure === undefined) throw new Error(`systemd-analyze reports no exposure: ${report}`);
  return Number(exposure);
}

/** Returns the output of `systemd-analyze` about a unit. */
function analyzed(command: readonly string[], name: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'keyfold-unit-'));
  try {
    writeFileSync(join(folder, name), text);
    const { stdout, stderr, error } = spawnSync('systemd-analyze', [...command, join(folder, name)], {
      encoding: 'utf8',
    });
    if (error) throw error;
    return stdout + stderr;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
