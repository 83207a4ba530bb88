import { Logger, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { SecurityLog } from '@keyfold/application';
import { LimitedSecurityLog } from './limited-security-log.js';

/** Logs the last counts at shutdown. */
class ProcessSecurityLog extends LimitedSecurityLog implements OnApplicationShutdown {
  onApplicationShutdown(): void {
    this.flush();
  }
}

/** Provides the security log, which is part of the ordinary log of the process. */
export const securityLogProvider: Provider = {
  provide: SecurityLog,
  useFactory: () => {
    const log = new Logger('Security');
    return new ProcessSecurityLog((level, fields, message) =>
      level === 'warn' ? log.warn(fields, message) : log.log(fields, message),
    );
  },
};
