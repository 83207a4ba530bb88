import { SecurityLog, type SecurityEvent, type SecurityEventName } from '@keyfold/application';
import { networksOf } from '@keyfold/security';
import { securityLines, type SecurityLineLevel } from './security-lines.js';

/** Milliseconds; then the counts of what was left out are written. */
const WINDOW = 60_000;
/** Lines of one event in a window: from one network, and in all. */
const LINES_PER_NETWORK = 5;
const LINES = 100;
/** Networks of one event that are told apart in a window. */
const NETWORKS = 100;
/** Stands for all networks beyond those. */
const OTHERS = 'others';

type Count = { lines: number; omitted: number };
type EventWindow = { lines: number; readonly networks: Map<string, Count> };
type WriteLine = (level: SecurityLineLevel, fields: Readonly<Record<string, unknown>>, message: string) => void;

/**
 * Writes each event as a line, up to a number of lines for each event and network in a minute, and counts the rest. At the end of
 * the minute a line for each event and network has the field `omitted`, so lines and `omitted` together are the exact number of events.
 * Memory and lines are bounded, whoever sends what from wherever.
 */
export class LimitedSecurityLog extends SecurityLog {
  /** Events since the start of the process, those without a line included. */
  readonly counts = new Map<SecurityEventName, number>();
  #window = new Map<SecurityEventName, EventWindow>();

  /** `schedule` runs a task once after so many milliseconds. */
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

  /** Ends the window: writes what was left out of it. */
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
