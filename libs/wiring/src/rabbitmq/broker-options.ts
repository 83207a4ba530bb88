import type { BrokerSettings } from '@keyfold/process';

/** The settings of a process that has a broker. */
export type BrokerModuleSettings = BrokerSettings & Readonly<{ KEYFOLD_RABBITMQ_URL: string }>;

export type BrokerOptions = Readonly<{
  /** Makes what is missing of the topology instead of waiting for an operator. */
  applyTopology?: boolean;
}>;
