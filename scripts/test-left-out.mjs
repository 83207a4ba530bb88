// What npm test says about the programs that this machine lacks.
import { filesThatNeed, testFiles } from './test-needs.mjs';

/** Minutes on two processors with every program, and without any. */
const MINUTES = { all: 15, bare: 5 };

/** The test files that need a missing program. */
export function testsLeftOut(missing) {
  return [...new Set(missing.flatMap(filesThatNeed))];
}

/** Says what is missing, which tests that leaves out, what installs it, and how long the rest takes. */
export function reportMissing(missing, leftOut) {
  if (missing.length > 0) console.log(listOf(missing, leftOut));
  const files = testFiles.length - leftOut.length;
  const minutes = leftOut.length > 0 ? MINUTES.bare : MINUTES.all;
  console.log(`Running ${files} of ${testFiles.length} test files, about ${minutes} minutes on two processors.\n`);
}

/** Repeats at the end of a run what it left out. */
export function reportLeftOut(missing, leftOut) {
  if (missing.length > 0) console.log(`\n${listOf(missing, leftOut)}`);
}

function listOf(missing, leftOut) {
  const width = Math.max(...missing.map(({ name }) => name.length));
  return [
    `${leftOut.length} of ${testFiles.length} test files are left out, because these programs are missing:`,
    ...missing.map((program) => `  ${program.name.padEnd(width)}  ${countsOf(filesThatNeed(program))}`),
    'To install them: npm run test:setup\n',
  ].join('\n');
}

/** How many files of each kind, as in `int 20, e2e 8`. */
function countsOf(files) {
  const kinds = Map.groupBy(files, (file) => {
    const [top = '', kind = ''] = file.split('/');
    return top === 'test' ? kind : file.endsWith('.int.spec.ts') ? 'int' : 'unit';
  });
  return [...kinds].map(([kind, { length }]) => `${kind} ${length}`).join(', ') || 'no test';
}
