import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The version in the nearest package.json. */
export const { version } = findPackage(import.meta.dirname);

/** The name and version of the service: `Keyfold v0.3.0`. */
export const serviceVersion = `Keyfold v${version}`;

/** The same in the form of an `app-id`: `keyfold/0.3.0`. */
export const serviceAppId = `keyfold/${version}`;

function findPackage(folder: string): { version: string } {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  } catch {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('cannot find package.json: run the program inside its package');
    return findPackage(parent);
  }
}
