import { SecurityLog, type SecurityEvent, type SecurityEventName } from '@keyfold/application';
import { networksOf } from '@keyfold/security';
import { Logger, type OnApplicationShutdown, type Provider } from '@nestjs/common';

type SecurityLineLevel = 'info' | 'warn';

/** Only possible attacks are warnings. */
const securityLines: Readonly<Record<SecurityEventName, Readonly<{ level: SecurityLineLevel; message: string }>>> = {
  authn_login_fail: { level: 'warn', message: 'login refused' },
  authn_login_fail_max: { level: 'warn', message: 'login throttled' },
  authn_login_lock: { level: 'warn', message: 'second factor locked' },
  authn_password_change: { level: 'info', message: 'password changed' },
  authn_token_created: { level: 'info', message: 'token created' },
  authn_token_revoked: { level: 'info', message: 'token revoked' },
  authn_token_use: { level: 'info', message: 'static token used' },
  authn_token_fail: { level: 'warn', message: 'token refused' },
  authn_token_forged: { level: 'warn', message: 'forged token refused' },
  privilege_permissions_changed: { level: 'info', message: 'permissions changed' },
  user_created: { level: 'info', message: 'account created' },
  user_updated: { level: 'info', message: 'account changed' },
  user_deleted: { level: 'info', message: 'account deleted' },
};

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
export class LimitedSecurityLog extends SecurityLog implements OnApplicationShutdown {
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

  onApplicationShutdown(): void {
    this.flush();
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

/** Provides the security log, which is part of the ordinary log of the process. */
export const securityLogProvider: Provider = {
  provide: SecurityLog,
  useFactory: () => {
    const log = new Logger('Security');
    return new LimitedSecurityLog((level, fields, message) =>
      level === 'warn' ? log.warn(fields, message) : log.log(fields, message),
    );
  },
};
