import type { LoggerService } from '@nestjs/common';
import { pino, type Logger } from 'pino';
import { loggedError } from './logged-error.js';
import { masked } from './masked.js';

/** JSON lines on a pipe, readable lines on a terminal, without secrets. `fields` are added to each line. */
export function createLog(level: string, onTerminal: boolean, fields: () => object = () => ({})): Logger {
  const base = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: fields,
    hooks: { streamWrite: masked },
    serializers: { err: loggedError },
  };
  if (!onTerminal) return pino(base);
  return pino({
    ...base,
    transport: { target: 'pino-pretty', options: { translateTime: 'SYS:HH:MM:ss', singleLine: true } },
  });
}

/** Nest's own messages and those of the modules, written by pino. The last parameter of a Nest log call is its context. */
export class NestLog implements LoggerService {
  constructor(private readonly pino: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    // What Nest tells while it starts is of use to its developers.
    this.#write(isStartUpNoise(rest) ? 'debug' : 'info', message, rest);
  }
  error(message: unknown, ...rest: unknown[]): void {
    // A start that fails is told by whoever started it.
    if (FAILED_START_CONTEXTS.includes(String(rest.at(-1)))) return;
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
const isStartUpNoise = (rest: unknown[]) => NEST_CONTEXTS.includes(String(rest.at(-1)));
/** The second one has the error of a server that cannot listen. */
const FAILED_START_CONTEXTS = ['ExceptionHandler', 'NestApplication'];
