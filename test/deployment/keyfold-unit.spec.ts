import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { unitExposure, unitProblems } from '../support/checkers/systemd.js';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const NAME = 'keyfold.service';
const unit = read(`deploy/systemd/${NAME}`);
const valueOf = (key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(unit)?.[1];

it('systemd accepts the unit', () => {
  // systemd also checks that the command exists.
  const installed = unit.replace('/opt/keyfold/keyfold', process.execPath);
  expect(unitProblems(NAME, installed)).toBe('');
  expect(unitProblems(NAME, installed.replace('PrivateTmp=yes', 'PrivateTemp=yes'))).toContain('PrivateTemp');
});

it('systemd rates the exposure of the unit below 2 of 10', () => {
  expect(unitExposure(NAME, unit)).toBeLessThan(2);
  const bare = unit.replace(/^(?:Protect|Private|Restrict|SystemCall|Capability|NoNew)\w+=.*$/gm, '');
  expect(unitExposure(NAME, bare)).toBeGreaterThan(7);
});

it('the service has as long to stop as the guide asks for, and does not restart with invalid settings', () => {
  const [, seconds] = /^- Allow (\d+) seconds for the \[shutdown\]/m.exec(read('docs/run/upgrade.md')) ?? [];
  expect(valueOf('TimeoutStopSec')).toBe(seconds);
  expect(valueOf('RestartPreventExitStatus')).toBe('78');
});
