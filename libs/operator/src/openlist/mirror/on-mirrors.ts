import { MirrorBlocked, OpenListRefused, OpenListUnavailable, type OpenListMirror } from '@keyfold/openlist';
import { FAILED, type ExitCode } from '@keyfold/process';
import type { CommandRun } from '../../command-run.js';

/** Runs a command on the mirrors of the accounts, and reports an OpenList that is away or refuses. */
export async function onMirrors(
  { ports, output }: CommandRun,
  act: (mirror: OpenListMirror) => Promise<ExitCode>,
): Promise<ExitCode> {
  const mirror = await ports.mirror();
  try {
    return await act(mirror);
  } catch (error) {
    const problem = problemOf(error);
    if (problem === undefined) throw error;
    await output.err(problem);
    return FAILED;
  }
}

/** Returns why OpenList did not do something, with the remedy; undefined for other errors. */
export function problemOf(error: unknown): string | undefined {
  if (error instanceof OpenListUnavailable)
    return `${error.message}. Check KEYFOLD_OPENLIST_URL and OpenList, then run the command again`;
  if (error instanceof MirrorBlocked) return error.message;
  if (!(error instanceof OpenListRefused)) return undefined;
  return error.code === 401
    ? 'OpenList refuses KEYFOLD_OPENLIST_TOKEN. Set it to the static token of OpenList'
    : `${error.message}. Its log says why`;
}
