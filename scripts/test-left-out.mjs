// Reports the programs that this machine lacks, and the test files that npm test leaves out because of them.
import { filesThatNeed, testFiles } from './test-needs.mjs';

/** Duration in minutes on two CPUs: with all programs, and with none. */
const MINUTES = { all: 15, bare: 5 };

/** Returns the test files that need a missing program. */
export function testsLeftOut(missing) {
  return [...new Set(missing.flatMap(filesThatNeed))];
}

/** Prints the missing programs, the numbers of files left out, the command that installs the programs, and the expected duration. */
export function reportMissing(missing, leftOut) {
  if (missing.length > 0) console.log(listOf(missing, leftOut));
  const files = testFiles.length - leftOut.length;
  const minutes = leftOut.length > 0 ? MINUTES.bare : MINUTES.all;
  console.log(`Running ${files} of ${testFiles.length} test files, about ${minutes} minutes on two CPUs.\n`);
}

/** Repeats the missing programs and the numbers of files left out at the end of a run. */
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

/** Returns the number of files of each kind, for example `int 20, e2e 8`. */
function countsOf(files) {
  const kinds = Map.groupBy(files, (file) => {
    const [top = '', kind = ''] = file.split('/');
    return top === 'test' ? kind : file.endsWith('.int.spec.ts') ? 'int' : 'unit';
  });
  return [...kinds].map(([kind, { length }]) => `${kind} ${length}`).join(', ') || 'no tests';
}
