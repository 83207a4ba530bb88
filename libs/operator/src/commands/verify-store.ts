import { Verification } from '@keyfold/projections';
import type { CommandRun } from './operator-ports.js';
import { DONE, FAILED, type ExitCode } from '@keyfold/process';

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
      `no process projects: start a worker or run "keyfold migrate"; ${count.unprojected} commits are not in the read models yet`,
    );
  } else if (count.behind > 0) {
    await output.err(
      isAlone
        ? `${count.behind} documents are not up to date yet: the next start brings them there`
        : `${count.behind} documents were on their way while they were looked at`,
    );
  }
  await output.out(
    `${count.commits} commits of ${count.streams} streams and ${count.documents} documents: ${problems === 0 ? 'no problem' : `${problems} problems`}`,
  );
  return problems === 0 ? DONE : FAILED;
}
