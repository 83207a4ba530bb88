// Maps test files to the programs that they need. A file needs the programs of all support files that it imports, directly or indirectly.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { programs } from '../test/support/programs.ts';

const root = join(import.meta.dirname, '..');
/** Matches relative imports. Type imports load nothing, and product code, which is imported by alias, runs no program. */
const IMPORT = /^(?:import|export)\s(?!type\s)[^'"]*?from '(\.{1,2}\/[^']+)\.js'/gm;

for (const { name, usedBy } of programs)
  for (const file of usedBy)
    if (!existsSync(join(root, file))) throw new Error(`programs.ts: ${file}, which uses ${name}, does not exist`);

/** All test files, relative to the project folder. */
export const testFiles = globSync('{apps,libs,test}/**/*.spec.ts', { cwd: root });

/** Returns the programs that this machine lacks. */
export async function missingPrograms() {
  const missing = [];
  for (const program of programs) if (!(await program.isInstalled())) missing.push(program);
  return missing;
}

/** Returns the test files that need a program. */
export function filesThatNeed({ usedBy }) {
  return testFiles.filter((file) => usedBy.some((support) => reachedFrom(file).has(support)));
}

const reached = new Map();

/** Returns the file and everything that it imports, directly or indirectly. */
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
