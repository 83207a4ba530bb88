import { reasonOf } from '@keyfold/event-store';
import { projectorName } from '@keyfold/projections';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandRun, OperatorPorts } from './operator-ports.js';
import { DONE, FAILED, type ExitCode } from '@keyfold/process';
import { counted } from '../output/counted.js';

/** Milliseconds between two looks at the checkpoints, and between two lines about them. */
const LOOK_INTERVAL = 200;
const REPORT_INTERVAL = 5_000;

/**
 * Fills the read models of this version from the feed until they have the commits that are there now. `follow` keeps them up to date
 * until the command is interrupted, which is no failure then. Other processes may take part of the work. The indexes of MongoDB are
 * made before, when the store is opened (`openMongoStore`).
 */
export async function migrate({ follow }: { follow: boolean }, run: CommandRun): Promise<ExitCode> {
  const { ports, output, signal } = run;
  const projector = ports.newProjector?.(
    (error) => void output.err(`cannot project, trying again: ${reasonOf(error)}`),
  );
  projector?.start();
  try {
    const commits = await untilCaughtUp(run);
    await output.out(`the read models are up to date with ${counted(commits, 'commit')}`);
    if (follow) {
      await output.err('following the feed until interrupted');
      if (!signal.aborted) await new Promise((interrupted) => signal.addEventListener('abort', interrupted));
    }
  } finally {
    await projector?.stop();
  }
  const parked = await ports.readModels.parked();
  if (parked.length === 0) return DONE;
  await output.out(`${counted(parked.length, 'stream')} parked: see "keyfold projections status"`);
  return FAILED;
}

/** Waits for the checkpoints to reach what the feed had at the beginning; answers how many commits that are. */
async function untilCaughtUp({ ports, output, signal }: CommandRun): Promise<number> {
  const heads = [...(await ports.feed.readHeads())];
  const total = heads.reduce((sum, [, head]) => sum + head, 0);
  for (let reportedAt = performance.now(); ;) {
    const now = await checkpoints(ports);
    const done = heads.map(([slot, head]) => Math.min(head, now.get(slot) ?? 0)).reduce((sum, each) => sum + each, 0);
    if (done === total) return total;
    if (performance.now() - reportedAt >= REPORT_INTERVAL) {
      reportedAt = performance.now();
      await output.err(`${done} of ${counted(total, 'commit')}`);
    }
    await sleep(LOOK_INTERVAL, undefined, { signal });
  }
}

const checkpoints = async ({ leases }: OperatorPorts) =>
  new Map((await leases.progress(projectorName)).map(({ slot, position }) => [slot, position]));
