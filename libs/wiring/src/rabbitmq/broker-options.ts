import type { BrokerSettings } from '@keyfold/process';

/** The settings of a process with a broker. */
export type BrokerModuleSettings = BrokerSettings & Readonly<{ KEYFOLD_RABBITMQ_URL: string }>;

/** Options of a process with a broker. */
export type BrokerOptions = Readonly<{
  /** Creates missing parts of the topology instead of waiting for an operator. */
  applyTopology?: boolean;
}>;
