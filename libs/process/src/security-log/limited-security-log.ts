import { SecurityLog, type SecurityEvent, type SecurityEventName } from '@keyfold/application';
import { networksOf } from '@keyfold/security';
import { securityLines, type SecurityLineLevel } from './security-lines.js';

/** Milliseconds after which the counts of omitted events are logged. */
const WINDOW = 60_000;
/** Maximum number of lines for one event in a window: per network and in total. */
const LINES_PER_NETWORK = 5;
const LINES = 100;
/** Maximum number of networks that are counted separately for one event in a window. */
const NETWORKS = 100;
/** Stands for all other networks. */
const OTHERS = 'others';

type Count = { lines: number; omitted: number };
type EventWindow = { lines: number; readonly networks: Map<string, Count> };
type WriteLine = (level: SecurityLineLevel, fields: Readonly<Record<string, unknown>>, message: string) => void;

/**
 * Logs each event as a line, with a limit for each event and network in a minute, and counts the rest. At the end of the minute it logs
 * the counts in the field `omitted`, so the lines and `omitted` add up to the exact number of events. Memory and log volume are bounded
 * for any traffic.
 */
export class LimitedSecurityLog extends SecurityLog {
  /** Events since the start of the process, including omitted ones. */
  readonly counts = new Map<SecurityEventName, number>();
  #window = new Map<SecurityEventName, EventWindow>();

  /** `schedule` runs a task once after a delay. */
  constructor(
    private readonly write: WriteLine,
    private readonly schedule: (task: () => void, milliseconds: number) => void = later,
  ) {
    super();
  }

  report(event: SecurityEvent): void {
    const { name, origin } = event;
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    if (this.#window.size === 0) this.schedule(() => this.flush(), WINDOW);
    const counted = this.#window.get(name) ?? { lines: 0, networks: new Map<string, Count>() };
    this.#window.set(name, counted);
    const network = networksOf(origin.address ?? '')[0];
    const count = countOf(counted.networks, network);
    if (count.lines >= LINES_PER_NETWORK || counted.lines >= LINES) {
      count.omitted += 1;
      return;
    }
    count.lines += 1;
    counted.lines += 1;
    const { level, message } = securityLines[name];
    this.write(level, fieldsOf(event, network), message);
  }

  /** Ends the window and logs the counts of omitted events. */
  flush(): void {
    const window = this.#window;
    this.#window = new Map();
    for (const [event, { networks }] of window)
      for (const [network, { omitted }] of networks)
        if (omitted > 0) this.write(securityLines[event].level, { event, network, omitted }, 'security events omitted');
  }
}

function countOf(networks: Map<string, Count>, network: string): Count {
  const key = networks.has(network) || networks.size < NETWORKS ? network : OTHERS;
  const count = networks.get(key) ?? { lines: 0, omitted: 0 };
  networks.set(key, count);
  return count;
}

function fieldsOf({ name, about = [], account, outcome, fields, origin }: SecurityEvent, network: string) {
  const { session, correlation, clientCorrelation } = origin;
  return {
    event: about.length === 0 ? name : `${name}:${about.join(',')}`,
    ...(account !== undefined && { account }),
    outcome,
    ...fields,
    network,
    ...(session !== undefined && { session }),
    correlation,
    ...(clientCorrelation !== undefined && { clientCorrelation }),
  };
}

const later = (task: () => void, milliseconds: number): void => void setTimeout(task, milliseconds).unref();
