// Which test files need which programs: a file needs those of the support files that it imports, directly or not.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { programs } from '../test/support/programs.ts';

const root = join(import.meta.dirname, '..');
/** Type imports load nothing. Product code is entered by aliases, and runs no program. */
const IMPORT = /^(?:import|export)\s(?!type\s)[^'"]*?from '(\.{1,2}\/[^']+)\.js'/gm;

/** The test files of the project, relative to its folder. */
export const testFiles = globSync('{apps,libs,test}/**/*.spec.ts', { cwd: root });

/** The programs that this machine lacks. */
export async function missingPrograms() {
  const missing = [];
  for (const program of programs) if (!(await program.isInstalled())) missing.push(program);
  return missing;
}

/** The test files that need a program. */
export function filesThatNeed({ usedBy }) {
  return testFiles.filter((file) => usedBy.some((support) => reachedFrom(file).has(support)));
}

const reached = new Map();

/** The file itself and all that it imports, directly or not. */
function reachedFrom(file) {
  const known = reached.get(file);
  if (known) return known;
  const files = new Set([file]);
  for (const each of files) for (const imported of importsOf(each)) files.add(imported);
  reached.set(file, files);
  return files;
}

const imports = new Map();

function importsOf(file) {
  const known = imports.get(file);
  if (known) return known;
  const text = readFileSync(join(root, file), 'utf8');
  const found = [...text.matchAll(IMPORT)]
    .map(([, path]) => relative(root, join(root, dirname(file), `${path}.ts`)))
    .filter((path) => existsSync(join(root, path)));
  imports.set(file, found);
  return found;
}
