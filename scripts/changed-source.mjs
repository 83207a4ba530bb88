import { statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/**
 * Returns the first of the given project files that was written, replaced or removed since `moment` (unix milliseconds). Compares the
 * ctime, because a file that is moved into place keeps its mtime.
 */
export const changedSource = (files, moment) =>
  files.find((file) => (statSync(join(root, file), { throwIfNoEntry: false })?.ctimeMs ?? Infinity) > moment);
