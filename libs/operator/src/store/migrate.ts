import { SshKeyExpiry } from '@keyfold/application';
import { reasonOf } from '@keyfold/reporting';
import { projectorName, type Projector } from '@keyfold/projections';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandRun, OperatorOutput, OperatorPorts } from '../command-run.js';
import { DONE, FAILED, type ExitCode } from '@keyfold/process';
import { counted } from '../output/printable.js';

/** Milliseconds between two checks of the progress, and between two reports. */
const CHECK_INTERVAL = 200;
const REPORT_INTERVAL = 5_000;

/**
 * Fills the read models of this version with all current commits. With `follow` it then keeps them up to date until it is interrupted,
 * which counts as success. Other processes may do part of the work. `openMongoStore` has already created the indexes of MongoDB.
 */
export async function migrate({ follow }: { follow: boolean }, run: CommandRun): Promise<ExitCode> {
  const { ports, output } = run;
  const projector = ports.newProjector?.((error) => void output.err(`cannot project, retrying: ${reasonOf(error)}`));
  projector?.start();
  try {
    const commits = await untilCaughtUp(run);
    await output.out(`the read models are up to date with ${counted(commits, 'commit')}`);
    if (follow) await followUntilInterrupted(run, projector);
  } finally {
    await projector?.stop();
  }
  const parked = await ports.readModels.parked();
  if (parked.length === 0) return DONE;
  await output.out(`parked ${counted(parked.length, 'stream')}. See "keyfold projections status"`);
  return FAILED;
}

/** Also announces expired keys, because the workers leave those in the slots of this process to it. */
async function followUntilInterrupted({ ports, output, signal }: CommandRun, projector?: Projector): Promise<void> {
  const onError = (error: unknown) => void output.err(`cannot announce expired SSH keys, retrying: ${reasonOf(error)}`);
  const expiry = projector && new SshKeyExpiry({ ...ports, runner: await ports.runner(), projector, onError });
  expiry?.start();
  try {
    await output.err('following the feed until interrupted');
    if (!signal.aborted) await new Promise((interrupted) => signal.addEventListener('abort', interrupted));
  } finally {
    await expiry?.stop();
  }
}

/** Fills the read models of a store that this process has opened alone, whose commits no other process can project. */
export async function catchUpIfAlone({ ports: { isAlone, newProjector }, output }: CommandRun): Promise<void> {
  if (isAlone) await newProjector?.((error) => void output.err(reasonOf(error))).catchUp();
}

type Following = Readonly<{
  ports: Pick<OperatorPorts, 'feed' | 'leases'>;
  output: OperatorOutput;
  signal: AbortSignal;
}>;

/** Waits until the checkpoints of the projector reach the current heads of the feed. Returns the number of commits. */
export async function untilCaughtUp({ ports, output, signal }: Following): Promise<number> {
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
    await sleep(CHECK_INTERVAL, undefined, { signal });
  }
}

const checkpoints = async ({ leases }: Following['ports']) =>
  new Map((await leases.progress(projectorName)).map(({ slot, position }) => [slot, position]));
