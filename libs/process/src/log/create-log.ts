import { pino, type Logger } from 'pino';
import { loggedError } from './logged-error.js';
import { maskSecrets } from './mask-secrets.js';

/** Creates a log with masked secrets: JSON lines on a pipe, readable lines on a terminal. `fields` are added to each line. */
export function createLog(level: string, onTerminal: boolean, fields?: () => object): Logger {
  const options = optionsOf(level, fields);
  if (!onTerminal) return pino(options);
  return pino({
    ...options,
    transport: { target: 'pino-pretty', options: { translateTime: 'SYS:HH:MM:ss', singleLine: true } },
  });
}

/** Creates the log of a further thread. `write` passes each line to the log of the process, by `writeLine`. */
export const createThreadLog = (level: string, write: (line: string) => void, fields?: () => object): Logger =>
  pino(optionsOf(level, fields), { write });

/** Writes a line of a `createThreadLog`. */
export function writeLine(log: Logger, line: string): void {
  (log as unknown as Record<symbol, { write(line: string): void }>)[pino.symbols.streamSym]!.write(line);
}

const optionsOf = (level: string, fields: () => object = () => ({})) => ({
  level,
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  mixin: fields,
  hooks: { streamWrite: maskSecrets },
  serializers: { err: loggedError },
});
