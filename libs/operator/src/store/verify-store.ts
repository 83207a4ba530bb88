import { Verification } from '@keyfold/projections';
import type { CommandRun } from '../command-run.js';
import { DONE, FAILED, type ExitCode } from '@keyfold/process';
import { counted } from '../output/printable.js';

/** Further problems are only counted. */
const MAX_SHOWN_PROBLEMS = 1_000;

/** Folds all streams and compares them with the read models and lists. Writes one line for each problem. */
export async function verifyStore(_: object, { ports, output, signal }: CommandRun): Promise<ExitCode> {
  const { store, feed, readModels, leases, isAlone } = ports;
  let problems = 0;
  const report = async (problem: string) => {
    problems++;
    if (problems <= MAX_SHOWN_PROBLEMS) await output.out(problem);
  };
  const verification = new Verification({ store, feed, readModels, isSettled: isAlone }, leases);
  const count = await verification.run(report, signal, output.progress?.bind(output));
  if (problems > MAX_SHOWN_PROBLEMS) await output.out(`... and ${problems - MAX_SHOWN_PROBLEMS} more`);
  if (count.unprojected > 0) {
    await output.err(
      `no projector is running, and the read models lack ${counted(count.unprojected, 'commit')}. Start a worker or run "keyfold migrate"`,
    );
  } else if (count.behind > 0) {
    await output.err(
      isAlone
        ? `the next startup updates ${counted(count.behind, 'document')}`
        : `skipped ${counted(count.behind, 'document')} in flight`,
    );
  }
  await output.out(
    `${counted(count.commits, 'commit')} of ${counted(count.streams, 'stream')} and ${counted(count.documents, 'document')}: ${problems === 0 ? 'no problems' : counted(problems, 'problem')}`,
  );
  return problems === 0 ? DONE : FAILED;
}
