import { pino, type Logger } from 'pino';
import { loggedError } from './logged-error.js';
import { maskSecrets } from './mask-secrets.js';

/** Creates a log with masked secrets: JSON lines on a pipe, readable lines on a terminal. `fields` are added to each line. */
export function createLog(level: string, onTerminal: boolean, fields: () => object = () => ({})): Logger {
  const base = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: fields,
    hooks: { streamWrite: maskSecrets },
    serializers: { err: loggedError },
  };
  if (!onTerminal) return pino(base);
  return pino({
    ...base,
    transport: { target: 'pino-pretty', options: { translateTime: 'SYS:HH:MM:ss', singleLine: true } },
  });
}
