import { Logger, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { SecurityLog } from '@keyfold/application';
import { LimitedSecurityLog } from './limited-security-log.js';

/** Writes the last counts when the process shuts down. */
class ProcessSecurityLog extends LimitedSecurityLog implements OnApplicationShutdown {
  onApplicationShutdown(): void {
    this.flush();
  }
}

/** The security log of a process, in its ordinary log. */
export const securityLogProvider: Provider = {
  provide: SecurityLog,
  useFactory: () => {
    const log = new Logger('Security');
    return new ProcessSecurityLog((level, fields, message) =>
      level === 'warn' ? log.warn(fields, message) : log.log(fields, message),
    );
  },
};
