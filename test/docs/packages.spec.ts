import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

type Lock = Readonly<{ packages: Record<string, { hasInstallScript?: boolean }> }>;

it('no package but Node runs an install script', () => {
  const lock = resolve(import.meta.dirname, '../../package-lock.json');
  const { packages } = JSON.parse(readFileSync(lock, 'utf8')) as Lock;
  const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
  expect(scripted.map(([path]) => path)).toEqual(['node_modules/node']);
});
