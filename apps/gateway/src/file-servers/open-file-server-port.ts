import type { INestApplication } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { CallerIdentifier, SecurityLog, type Origin } from '@keyfold/application';
import { Fault } from '@keyfold/http-envelope';
import { RepeatedLine, type ApiSettings, type ProcessContext } from '@keyfold/process';
import { randomUUID } from 'node:crypto';
import { faultOf } from '../http/fault-of.js';
import { TrustedNetworks } from '../request/client-address.js';
import { FileServerCounts } from './file-server-counts.js';
import { FileServerPort } from './file-server-port.js';
import { fileServerRoutes } from './file-server-routes.js';
import { ServerLogins } from './server-logins.js';
import { ServerToken } from './server-token.js';
import { SftpgoHooks } from './sftpgo-hooks.js';

/**
 * Opens the servers port of a process, and measures it. Returns undefined if the settings name no port. Only the owner of the process has it: one
 * thread answers more look-ups than file servers have logins.
 */
export async function openFileServerPort(
  app: INestApplication,
  { KEYFOLD_SERVERS_HOST: host, KEYFOLD_SERVERS_PORT: port, KEYFOLD_SERVERS_TRUSTED: trusted }: ApiSettings,
  { log, metrics, onTerminal }: Pick<ProcessContext, 'log' | 'metrics' | 'onTerminal'>,
): Promise<FileServerPort | undefined> {
  if (port === undefined) return undefined;
  const outages = new RepeatedLine();
  const onUnrecorded = (reason: string, { correlation }: Origin) =>
    log.warn({ reason, correlation }, 'the use of an SSH key was not recorded');
  const onIgnored = (server: string) =>
    log.warn({ server }, 'ignored the address of a client: if the server is yours, add it to KEYFOLD_SERVERS_TRUSTED');
  const [queries, commands] = [app.get(QueryBus, { strict: false }), app.get(CommandBus, { strict: false })];
  const logins = new ServerLogins(queries, commands, new TrustedNetworks(trusted), onIgnored);
  const onUnusable = (username: string, { correlation }: Origin) =>
    log.warn({ username, correlation }, 'refused a login: the base path is no folder below the root of the site');
  const sftpgo = new SftpgoHooks(logins, queries, onUnusable);
  const routes = fileServerRoutes(queries, commands, logins, sftpgo, onUnrecorded);
  const counts = new FileServerCounts(routes);
  const opened = await FileServerPort.open(host, port, {
    routes,
    counts,
    token: new ServerToken(app.get(CallerIdentifier, { strict: false }), app.get(SecurityLog, { strict: false })),
    faults: (error) =>
      faultOf(error, (message) =>
        outages.write(message, (omitted) => log.error({ ...(omitted > 0 && { omitted }) }, message)),
      ),
    unexpected: (error, url) => {
      const errorId = randomUUID();
      log.error({ errorId, url, err: error }, 'request failed');
      return new Fault(500, `internal error, id ${errorId}`);
    },
  });
  metrics.add(() => counts.samples());
  if (!onTerminal) log.info({ url: opened.url }, 'servers port');
  return opened;
}
