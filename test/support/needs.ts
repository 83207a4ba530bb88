import { programs, type ProgramName } from './programs.js';

/** Why a test file cannot run on this machine. `npm test` leaves such a file out and counts it; in CI it fails. */
class MissingProgram extends Error {
  override readonly name = 'MissingProgram';
}

/** Set by `npm test`, which looks once for all test files. */
const LACKING = process.env['KEYFOLD_TESTS_LACK'];

/**
 * Declares what a test file needs beside Node, at the top of the module that uses it: a support file or the test file itself. On
 * a machine that lacks one of them, every test file that imports the module is left out, before its hooks and tests.
 */
export async function needs(...names: readonly ProgramName[]): Promise<void> {
  for (const name of names)
    if (!(await isInstalled(name)))
      throw new MissingProgram(LACKING ? name : `${name}. To install it, run: npm run test:setup`);
}

/** Declares that a test file needs what a global set-up starts; `failure` returns the reason if it did not start. */
export async function needsStarted(
  name: ProgramName,
  failure: () => string | undefined | Promise<string | undefined>,
): Promise<void> {
  await needs(name);
  const reason = await failure();
  if (reason) throw new MissingProgram(`${name}, which does not start: ${reason}`);
}

async function isInstalled(name: ProgramName): Promise<boolean> {
  return LACKING === undefined ? programs[name].isInstalled() : !(JSON.parse(LACKING) as string[]).includes(name);
}
