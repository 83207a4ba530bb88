import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The name and version of the service, from the nearest package.json: `Keyfold v0.2.0`. */
export const serviceVersion = `Keyfold v${findPackage(import.meta.dirname).version}`;

/** The same in the form of an `app-id`: `keyfold/0.2.0`. */
export const serviceAppId = serviceVersion.replace('Keyfold v', 'keyfold/');

function findPackage(folder: string): { version: string } {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  } catch {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('cannot find package.json: run the program inside its package');
    return findPackage(parent);
  }
}
