import { Verification } from '@keyfold/projections';
import type { CommandRun } from './operator-ports.js';
import { DONE, FAILED, type ExitCode } from '@keyfold/process';
import { counted } from '../output/counted.js';

/** More problems are counted and not shown. */
const SHOWN_PROBLEMS = 1_000;

/** Folds everything and compares it with the read models and lists; one line a problem. */
export async function verifyStore(_: object, { ports, output, signal }: CommandRun): Promise<ExitCode> {
  const { store, feed, readModels, leases, isAlone } = ports;
  let problems = 0;
  const report = async (problem: string) => {
    problems++;
    if (problems <= SHOWN_PROBLEMS) await output.out(problem);
  };
  const count = await new Verification({ store, feed, readModels, isSettled: isAlone }, leases).run(report, signal);
  if (problems > SHOWN_PROBLEMS) await output.out(`... and ${problems - SHOWN_PROBLEMS} more`);
  if (count.unprojected > 0) {
    await output.err(
      `no process projects: start a worker or run "keyfold migrate". The read models lack ${counted(count.unprojected, 'commit')}`,
    );
  } else if (count.behind > 0) {
    await output.err(
      isAlone
        ? `the next start brings ${counted(count.behind, 'document')} up to date`
        : `skipped ${counted(count.behind, 'document')} in flight`,
    );
  }
  await output.out(
    `${counted(count.commits, 'commit')} of ${counted(count.streams, 'stream')} and ${counted(count.documents, 'document')}: ${problems === 0 ? 'no problem' : counted(problems, 'problem')}`,
  );
  return problems === 0 ? DONE : FAILED;
}
