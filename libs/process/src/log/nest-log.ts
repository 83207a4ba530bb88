import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

/**
 * Passes the log calls of Nest and of the modules to pino. The last argument of such a call is its context. Requests have no logger and no
 * line of their own (unlike with nestjs-pino), because both cost time on each: errors and commits carry the request id, and proxies log access.
 */
export class NestLog implements LoggerService {
  constructor(private readonly pino: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    // Nest's startup messages help only developers.
    this.#write(isStartupNoise(rest) ? 'debug' : 'info', message, rest);
  }
  error(message: unknown, ...rest: unknown[]): void {
    // `reportAndExit` reports a failed startup.
    if (FAILED_STARTUP_CONTEXTS.includes(String(rest.at(-1)))) return;
    this.#write('error', message, rest);
  }
  warn(message: unknown, ...rest: unknown[]): void {
    this.#write('warn', message, rest);
  }
  debug(message: unknown, ...rest: unknown[]): void {
    this.#write('debug', message, rest);
  }
  verbose(message: unknown, ...rest: unknown[]): void {
    this.#write('trace', message, rest);
  }

  #write(level: 'error' | 'warn' | 'info' | 'debug' | 'trace', message: unknown, rest: unknown[]): void {
    const texts = rest.filter((each) => typeof each === 'string');
    const context = texts.at(-1);
    if (typeof message === 'string') this.pino[level]({ context }, message);
    else this.pino[level]({ context, ...Object(message) }, texts[0]);
  }
}

const NEST_CONTEXTS = [
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
  'NestMicroservice',
];
const isStartupNoise = (rest: unknown[]) => NEST_CONTEXTS.includes(String(rest.at(-1)));
/** `NestApplication` logs the error of a server that cannot listen. */
const FAILED_STARTUP_CONTEXTS = ['ExceptionHandler', 'NestApplication'];
