import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

type Lock = Readonly<{ packages: Record<string, { dev?: boolean; devOptional?: boolean }> }>;

/** Returns the names of the packages in `node_modules` that `npm ci --omit=dev` would install. Nested packages come with their parents. */
export async function productionPackages(): Promise<string[]> {
  const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as Lock;
  return Object.entries(lock.packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional)
    .filter(([path]) => path.lastIndexOf('node_modules/') === 0 && existsSync(join(ROOT, path)))
    .map(([path]) => path.replace('node_modules/', ''));
}
