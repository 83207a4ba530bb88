import { applyTopology, diffTopology, isOpen, Management, vhostOf, type Finding } from '@keyfold/messaging/rabbitmq';
import { DONE, FAILED, type ExitCode } from '@keyfold/process';
import type { BrokerRun } from '../command-run.js';
import { counted } from '../output/printable.js';
import { withOperatorConnection } from './with-operator-connection.js';

/** Compares the topology with the broker. Fails if something is missing or different. */
export const diffWithBroker = (run: BrokerRun) => report(diffTopology, run);

/** Creates the missing parts of the topology. Fails if differences remain. */
export const applyToBroker = (run: BrokerRun) => report(applyTopology, run);

function report(findingsOn: typeof diffTopology, { settings, output }: BrokerRun): Promise<ExitCode> {
  const { KEYFOLD_RABBITMQ_URL: url, KEYFOLD_RABBITMQ_MANAGEMENT_URL: managementUrl } = settings;
  const eventLogDays = settings.KEYFOLD_EVENT_LOG_DAYS;
  const management = managementUrl === undefined ? undefined : new Management(managementUrl, url);
  return withOperatorConnection(url, output, async (connection) => {
    const findings = await findingsOn({ channels: connection, management, vhost: vhostOf(url), eventLogDays });
    for (const line of findings.flatMap(linesOf)) await output.out(line);
    await output.out(summaryOf(findings));
    if (!management)
      await output.err('set KEYFOLD_RABBITMQ_MANAGEMENT_URL to compare bindings and policies and to set policies');
    // With the management API, something is unknown only if the API does not answer or refuses this user.
    const unknown = management ? findings.filter(({ state }) => state === 'unknown').length : 0;
    const reason = management?.hasRefused ? MISSING_TAGS : UNREACHABLE;
    if (unknown > 0) await output.err(`cannot compare ${counted(unknown, 'object')}: ${reason}. ${UNKNOWN_ADVICE}`);
    return unknown > 0 || findings.some(isOpen) ? FAILED : DONE;
  });
}

const MISSING_TAGS = 'the user needs the tag policymaker, and administrator for operator policies';
const UNREACHABLE = 'KEYFOLD_RABBITMQ_MANAGEMENT_URL leads to no management API that answers';
const UNKNOWN_ADVICE = 'Fix this, or run the printed rabbitmqctl lines and unset KEYFOLD_RABBITMQ_MANAGEMENT_URL';

const STATE_WIDTH = 'different  '.length;

function linesOf({ object, state, detail }: Finding): string[] {
  const details = detail === undefined ? [] : detail.split('\n').map((line) => `${' '.repeat(STATE_WIDTH)}${line}`);
  return [`${state.padEnd(STATE_WIDTH)}${object}`, ...details];
}

function summaryOf(findings: readonly Finding[]): string {
  const counts = (['same', 'created', 'changed', 'missing', 'different', 'refused', 'offline', 'unknown'] as const)
    .map((state) => ({ state, count: findings.filter((finding) => finding.state === state).length }))
    .filter(({ count }) => count > 0);
  return `${findings.length} objects: ${counts.map(({ state, count }) => `${count} ${state}`).join(', ')}`;
}
