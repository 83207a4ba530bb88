import { isoTime } from '@keyfold/application';
import { relayName, type ParkedAccount } from '@keyfold/messaging';
import type { ExitCode } from '@keyfold/process';
import type { CommandRun, OperatorPorts } from './operator-ports.js';
import { showReader } from './show-reader.js';
import { slotStatuses, type SlotStatus } from './slot-status.js';

const NOT_RUNNING = 'no process uses this data folder. Start one with KEYFOLD_RABBITMQ_URL set';
const NO_LEASE =
  'no relay has a lease. Check that workers run with KEYFOLD_RABBITMQ_URL set. For other reasons see /health/ready of a worker';

/**
 * Shows the progress and owner of each slot of the relay, why nothing is published, and the accounts whose events wait because one cannot
 * be sent. Fails if there are such accounts.
 */
export async function showRelay({ json }: { json: boolean }, { ports, output }: CommandRun): Promise<ExitCode> {
  const slots = await slotStatuses(ports.feed, ports.relayLeases, relayName);
  const reader = {
    name: relayName,
    verb: 'published',
    problem: problemOf(ports, slots) ?? null,
    slots,
    parked: await ports.parkedRelays.all(),
    nothingParked: 'No account is parked.',
    lineOf: ({ slot, partition, position, error, at }: ParkedAccount) =>
      `account ${partition} at position ${position} of slot ${slot} since ${isoTime(at)}: ${error}`,
  };
  return showReader(reader, json, output);
}

/** A process that runs a single command does not know the settings of others, only whether one of them has a lease. */
function problemOf({ relayProblem, isAlone }: OperatorPorts, slots: readonly SlotStatus[]): string | undefined {
  if (relayProblem) return relayProblem();
  if (isAlone) return NOT_RUNNING;
  return slots.some(({ owner }) => owner !== null) ? undefined : NO_LEASE;
}
