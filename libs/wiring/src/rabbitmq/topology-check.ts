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

type Log = Readonly<{ log(text: string): void; warn(text: string): void }>;

/**
 * Makes the topology check of a process, which returns what is missing. A process that may apply the topology creates all of it at the
 * first check, and later when something is missing.
 */
export function topologyCheck(
  channels: ChannelSource,
  settings: BrokerModuleSettings,
  options: BrokerOptions,
  log: Log,
): () => Promise<readonly string[]> {
  if (options.applyTopology !== true) return () => checkTopology(channels);
  let complete = false;
  return async () => {
    if (complete && (await checkTopology(channels)).length === 0) return [];
    tell(await applied(channels, settings, log), log);
    const missing = await checkTopology(channels);
    complete = missing.length === 0;
    return missing;
  };
}

/** At first over AMQP alone: messages come and go without the management API, so nobody waits for it. */
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

/** What differs keeps nobody from beginning. */
function tell(findings: readonly Finding[], log: Log): void {
  const created = findings.filter(({ state }) => state === 'created').map(({ object }) => object);
  if (created.length > 0) log.log(`made ${created.join(', ')}`);
  for (const { object, state, detail } of findings.filter(isOpen)) log.warn(`${object} is ${state}: ${detail ?? ''}`);
  if (findings.some(isUnknownPolicy))
    log.warn(
      'until its policies are set, a full queue of one subscriber stops the events of all: run keyfold topology diff',
    );
}
