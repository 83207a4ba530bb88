import { statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/**
 * Returns the first of some files of the project that was written, replaced or removed since a moment in milliseconds. Compares the time
 * of the last change of status, because a file that is moved into place keeps the time at which it was written.
 */
export const changedSource = (files, moment) =>
  files.find((file) => (statSync(join(root, file), { throwIfNoEntry: false })?.ctimeMs ?? Infinity) > moment);
