import { join } from 'node:path';
import { installPinnedPackages } from '../checkers/pinned-packages.js';

const REQUIREMENTS = join(import.meta.dirname, 'client-generator.txt');

/** Returns the folder of openapi-python-client and its dependencies. Downloads them once per user. */
export const pythonClientGenerator = (): Promise<string> => installPinnedPackages(REQUIREMENTS);
