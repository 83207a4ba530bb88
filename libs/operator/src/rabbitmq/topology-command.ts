import { applyTopology, diffTopology, isOpen, Management, vhostOf, type Finding } from '@keyfold/messaging/rabbitmq';
import type { OperatorOutput } from '../output/operator-output.js';
import { DONE, FAILED, type ExitCode } from '@keyfold/process';
import type { BrokerModuleSettings } from '@keyfold/wiring';
import { withOperatorConnection } from './operator-connection.js';

/** Compares the topology with the broker, or makes what is missing; the exit code tells whether differences are left. */
export function runTopologyCommand(
  command: 'apply' | 'diff',
  settings: BrokerModuleSettings,
  output: OperatorOutput,
): Promise<ExitCode> {
  const { KEYFOLD_RABBITMQ_URL: url, KEYFOLD_RABBITMQ_MANAGEMENT_URL: managementUrl } = settings;
  const management = managementUrl === undefined ? undefined : new Management(managementUrl, url);
  return withOperatorConnection(url, output, async (connection) => {
    const broker = { channels: connection, management, vhost: vhostOf(url) };
    const findings = await (command === 'apply' ? applyTopology(broker) : diffTopology(broker));
    for (const line of findings.flatMap(linesOf)) await output.out(line);
    await output.out(summaryOf(findings));
    if (!management)
      await output.err(
        'bindings and policies are only compared, and policies only set, with KEYFOLD_RABBITMQ_MANAGEMENT_URL',
      );
    // With the management API nothing is unknown but what it does not let this user see.
    const isBad = (finding: Finding) => isOpen(finding) || (management !== undefined && finding.state === 'unknown');
    return findings.some(isBad) ? FAILED : DONE;
  });
}

const STATE_WIDTH = 'different  '.length;

function linesOf({ object, state, detail }: Finding): string[] {
  const more = detail === undefined ? [] : detail.split('\n').map((line) => `${' '.repeat(STATE_WIDTH)}${line}`);
  return [`${state.padEnd(STATE_WIDTH)}${object}`, ...more];
}

function summaryOf(findings: readonly Finding[]): string {
  const counts = (['same', 'created', 'missing', 'different', 'unknown'] as const)
    .map((state) => ({ state, count: findings.filter((finding) => finding.state === state).length }))
    .filter(({ count }) => count > 0);
  return `${findings.length} objects: ${counts.map(({ state, count }) => `${count} ${state}`).join(', ')}`;
}
