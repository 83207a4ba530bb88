import { isoTime } from '@keyfold/application';
import { feedLag, slotStatuses, totalOfSlots, type SlotStatus } from '@keyfold/event-store';
import { openlistRelayName, relayName, type ParkedAccount } from '@keyfold/messaging';
import { DONE, FAILED, type ExitCode } from '@keyfold/process';
import { projectorName, type ParkedStream } from '@keyfold/projections';
import type { CommandRun, OperatorOutput, OperatorPorts } from '../command-run.js';
import { counted } from '../output/printable.js';
import { tableOf } from '../output/table.js';

/** Shows the progress and owner of each slot of the projector, and the parked streams. Fails if there are any. */
export async function showProjector({ json }: { json: boolean }, { ports, output }: CommandRun): Promise<ExitCode> {
  const slots = await slotStatuses(ports.feed, ports.leases, projectorName);
  const reader = {
    name: projectorName,
    verb: 'projected',
    slots,
    parked: await ports.readModels.parked(),
    nothingParked: 'No stream is parked.',
    lineOf: ({ stream, version, error, at }: ParkedStream) =>
      `${stream} at version ${version} since ${isoTime(at)}: ${error}`,
  };
  if (json) await output.out(JSON.stringify(jsonOf(reader)));
  else await showText(reader, output);
  return reader.parked.length === 0 ? DONE : FAILED;
}

const NOT_RUNNING = 'no process uses this data folder. Start one with KEYFOLD_RABBITMQ_URL set';
const NO_LEASE =
  'no relay has a lease. Check that workers run with KEYFOLD_RABBITMQ_URL set. For other reasons see /health/ready of a worker';

/** Milliseconds; longer than another worker needs to take over slots. */
const LATE = 20_000;
const LATE_ADVICE =
  'See /health/ready of the workers for the reason. "keyfold topology diff" names the queues that take no events';

const NOT_CARRYING =
  'no process has a lease. Check that workers, or the standalone process, run with KEYFOLD_OPENLIST_URL set';

/**
 * Shows the progress and owner of each slot of the relay, why nothing is published, and the accounts whose events wait because one cannot
 * be sent; then the same of the relay to OpenList if there ever was one. Fails if there are such accounts.
 */
export async function showRelays({ json }: { json: boolean }, { ports, output }: CommandRun): Promise<ExitCode> {
  const slots = await slotStatuses(ports.feed, ports.relayLeases, relayName);
  const relay = {
    name: relayName,
    verb: 'published',
    problem: (await problemOf(ports, slots)) ?? null,
    slots,
    parked: await ports.parkedRelays.all(),
    ...PARKED_ACCOUNTS,
  };
  const openlist = await openlistReader(ports);
  if (json) await output.out(JSON.stringify({ ...jsonOf(relay), openlist: openlist && jsonOf(openlist) }));
  else await showText(relay, output);
  if (openlist && !json) {
    await output.out('');
    await output.out('Accounts carried to OpenList:');
    await showText(openlist, output);
  }
  return [relay, openlist].every((reader) => !reader?.parked.length) ? DONE : FAILED;
}

async function openlistReader({ feed, leases, parkedMirrors }: OperatorPorts) {
  if ((await leases.progress(openlistRelayName)).length === 0) return undefined;
  const slots = await slotStatuses(feed, leases, openlistRelayName);
  return {
    name: openlistRelayName,
    verb: 'carried',
    problem: slots.some(({ owner }) => owner !== null) ? null : NOT_CARRYING,
    slots,
    parked: await parkedMirrors.all(),
    ...PARKED_ACCOUNTS,
  };
}

const PARKED_ACCOUNTS = {
  nothingParked: 'No account is parked.',
  lineOf: ({ slot, partition, position, error, at }: ParkedAccount) =>
    `account ${partition} at position ${position} of slot ${slot} since ${isoTime(at)}: ${error}`,
};

/** A process that runs a single command cannot ask the others. It only sees in the store whether one has a lease and makes progress. */
async function problemOf(ports: OperatorPorts, slots: readonly SlotStatus[]): Promise<string | undefined> {
  const known = ports.relayProblem?.() ?? (ports.isAlone ? NOT_RUNNING : undefined);
  if (known !== undefined) return known;
  if (slots.every(({ owner }) => owner === null)) return ports.relayProblem ? undefined : NO_LEASE;
  const checkpoints = new Map(slots.map(({ slot, checkpoint }) => [slot, checkpoint]));
  const { oldestPendingAt = Infinity } = await feedLag(ports.feed, checkpoints);
  const age = ports.clock.now() - oldestPendingAt;
  if (age < LATE) return undefined;
  return `the oldest unpublished event has waited for ${Math.floor(age / 1_000)} seconds. ${LATE_ADVICE}`;
}

/** The status of a reader of the feed. */
type ReaderStatus<Parked> = Readonly<{
  name: string;
  /** The work of the reader as a participle, such as `published`. It is also the name of its count in JSON. */
  verb: string;
  /** Why commits wait; null if none do or the reason is unknown. A reader without this field reports no reasons. */
  problem?: string | null;
  slots: readonly SlotStatus[];
  parked: readonly Parked[];
  nothingParked: string;
  lineOf(parked: Parked): string;
}>;

function jsonOf<Parked>({ name, verb, problem, slots, parked }: ReaderStatus<Parked>): object {
  const { done, ...total } = totalOfSlots(slots);
  const why = problem === undefined ? {} : { problem };
  return { reader: name, total: { ...total, [verb]: done }, ...why, slots, parked };
}

async function showText<Parked>(
  { problem, slots, parked, nothingParked, lineOf }: ReaderStatus<Parked>,
  output: OperatorOutput,
): Promise<void> {
  for (const line of slotTable(slots)) await output.out(line);
  if (problem) await output.out(`Problem: ${problem}`);
  await output.out(parked.length === 0 ? nothingParked : `${parked.length} parked:`);
  for (const each of parked) await output.out(`  ${lineOf(each)}`);
}

function slotTable(slots: readonly SlotStatus[]): Iterable<string> {
  const { commits, done, lag, owners } = totalOfSlots(slots);
  return tableOf(
    ['slot', 'head', 'checkpoint', 'lag', 'owner'],
    slots.map(({ slot, head, checkpoint, lag: behind, owner }) => [slot, head, checkpoint, behind, owner ?? 'none']),
    ['all', commits, done, lag, counted(owners, 'process', 'processes')],
  );
}
