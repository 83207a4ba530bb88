import { relayName, type ParkedAccount } from '@keyfold/messaging';
import type { ExitCode } from '@keyfold/process';
import type { CommandRun, OperatorPorts } from './operator-ports.js';
import { showReader, slotStatuses, type SlotStatus } from './slot-status.js';

const NOT_RUNNING = 'no process runs on this data folder. Start one with KEYFOLD_RABBITMQ_URL set';
const NO_LEASE =
  'no relay has a lease. Check that workers run with KEYFOLD_RABBITMQ_URL set; /health/ready of a worker shows other reasons';

/**
 * How far the relay has come in each slot, who works on it, why nobody does, and whose events wait because one cannot be sent; the latter
 * is a failure.
 */
export async function showRelay({ json }: { json: boolean }, { ports, output }: CommandRun): Promise<ExitCode> {
  const slots = await slotStatuses(ports.feed, ports.relayLeases, relayName);
  const reader = {
    name: relayName,
    done: 'published',
    problem: problemOf(ports, slots) ?? null,
    slots,
    parked: await ports.parkedRelays.all(),
    nothingParked: 'No account is parked.',
    lineOf: ({ slot, partition, position, error, at }: ParkedAccount) =>
      `account ${partition} at position ${position} of slot ${slot} since ${new Date(at).toISOString()}: ${error}`,
  };
  return showReader(reader, json, output);
}

/** A process that exists for one command sees no settings of others, only whether one of them has a lease. */
function problemOf({ relayProblem, isAlone }: OperatorPorts, slots: readonly SlotStatus[]): string | undefined {
  if (relayProblem) return relayProblem();
  if (isAlone) return NOT_RUNNING;
  return slots.some(({ owner }) => owner !== null) ? undefined : NO_LEASE;
}
