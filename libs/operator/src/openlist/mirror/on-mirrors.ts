import type { OpenListMirror } from '@keyfold/openlist';
import { FAILED, type ExitCode } from '@keyfold/process';
import { openlistProblemOf, type CommandRun } from '../../command-run.js';

/** Runs a command on the mirrors of the accounts, and reports that OpenList is down or refuses. */
export async function onMirrors(
  { ports, output }: CommandRun,
  act: (mirror: OpenListMirror) => Promise<ExitCode>,
): Promise<ExitCode> {
  const mirror = await ports.mirror();
  try {
    return await act(mirror);
  } catch (error) {
    const problem = openlistProblemOf(error);
    if (problem === undefined) throw error;
    await output.err(problem);
    return FAILED;
  }
}
