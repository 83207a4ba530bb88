import { reasonOf } from '@keyfold/reporting';
import { pino, type Logger, type SerializedError } from 'pino';

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

/**
 * Returns the fields of an error that are safe to log. Errors of libraries carry more, such as the document that could not be stored,
 * which may contain secrets.
 */
export function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { type, stack, code } = pino.stdSerializers.err(error) as SerializedError & { code?: unknown };
  return { type, message: reasonOf(error), stack, ...(code !== undefined && { code }) };
}

/**
 * Secrets of a known form: a password in a URL, a session's token, the static token, an access token, an app password, a password hash.
 */
const PATTERNS: readonly (readonly [pattern: RegExp, mask: string])[] = [
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s"'<>/]*@/gi, '$1***@'],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, '***'],
  [/\bopenlist-[0-9a-f]{8}-[\w-]{8,}/g, '***'],
  [/\bkf_[0-9A-Za-z]{42}/g, '***'],
  [/(?<![\w-])(?:[0-9a-hjkmnp-tv-z]{4}-){4}[0-9a-hjkmnp-tv-z]{4}(?![\w-])/gi, '***'],
  [/\$argon2[a-z]{1,2}\$[^\s"'\\]+/g, '***'],
];

/** Masks secrets in a log line. Libraries may write them there: a driver, for example, repeats a URL in its error. */
export const maskSecrets = (line: string): string =>
  PATTERNS.reduce((text, [pattern, mask]) => text.replace(pattern, mask), line);
