import {
  applyTopology,
  checkTopology,
  isOpen,
  Management,
  vhostOf,
  type Broker,
  type ChannelSource,
  type Finding,
} from '@keyfold/messaging/rabbitmq';
import type { BrokerModuleSettings, BrokerOptions } from './broker-options.js';
import type { TopologyCheck } from './topology-watch.js';

type Log = Readonly<{ log(text: string): void; warn(text: string): void }>;

/**
 * Returns the topology check of a process. If the process may apply the topology, the first check creates all of it, and later ones
 * recreate missing parts.
 */
export function topologyCheck(
  channels: ChannelSource,
  settings: BrokerModuleSettings,
  options: BrokerOptions,
  log: Log,
): TopologyCheck {
  if (options.applyTopology !== true) return () => checkTopology(channels);
  let complete = false;
  return async () => {
    if (complete && (await checkTopology(channels)).length === 0) return [];
    logFindings(await applied(channels, settings, log), log);
    const missing = await checkTopology(channels);
    complete = missing.length === 0;
    return missing;
  };
}

/** Applies the topology over AMQP first: messages flow without the management API, so they do not wait for it. */
async function applied(channels: ChannelSource, settings: BrokerModuleSettings, log: Log): Promise<readonly Finding[]> {
  const { KEYFOLD_RABBITMQ_URL: url, KEYFOLD_RABBITMQ_MANAGEMENT_URL: managementUrl } = settings;
  const broker: Broker = { channels, vhost: vhostOf(url) };
  const findings = await applyTopology(broker);
  if (managementUrl === undefined) return findings;
  const created = findings.filter(({ state }) => state === 'created');
  const managed = await applyTopology({ ...broker, management: new Management(managementUrl, url) });
  const refused = managed.find(isUnknownPolicy);
  if (refused) log.warn(`cannot set policies: ${refused.detail}`);
  return [...created, ...managed];
}

const isUnknownPolicy = ({ object, state }: Finding) => state === 'unknown' && object.includes('policy');

/** Differences are only logged, because they do not prevent messages from flowing. */
function logFindings(findings: readonly Finding[], log: Log): void {
  const created = findings.filter(({ state }) => state === 'created').map(({ object }) => object);
  if (created.length > 0) log.log(`created ${created.join(', ')}`);
  for (const { object, state, detail } of findings.filter(isOpen)) log.warn(`${object} is ${state}: ${detail ?? ''}`);
  if (findings.some(isUnknownPolicy))
    log.warn(
      'without the policies, a full queue of one subscriber blocks the events of all. Run keyfold topology diff',
    );
}
