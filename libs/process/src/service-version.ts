import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The version of the package that this file belongs to, from sources and from the build alike. */
export const serviceVersion = `Keyfold v${findPackage(import.meta.dirname).version}`;

/** The same for whoever looks at a message: `keyfold/0.1.0`. */
export const serviceAppId = serviceVersion.replace('Keyfold v', 'keyfold/');

function findPackage(folder: string): { version: string } {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  } catch {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('package.json is missing: run the program inside its package');
    return findPackage(parent);
  }
}
