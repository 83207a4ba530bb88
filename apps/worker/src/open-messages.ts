import type { DynamicModule, INestApplication } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import type { BrokerSettings, Health, Metrics } from '@keyfold/process';
import { loadQueuesModule, type BrokerOptions } from '@keyfold/wiring';
import type { Logger } from 'pino';
import type { WorkerConfig } from './worker.config.js';

/** Publishing and consuming messages, loaded only by a process with a broker. */
export type Messages = Readonly<{
  /** Returns the module. `ports` provide the store and the handlers' dependencies. */
  moduleFor(ports: readonly DynamicModule[], config: WorkerConfig): DynamicModule;
  /** See `startMessages`. */
  start(app: INestApplication): void;
  /** See `requireMessages`. */
  require(app: INestApplication, health: Health): void;
  /** See `measureMessages`. */
  measure(app: INestApplication, metrics: Metrics): void;
  /** See `relayProblem` in `messages.module.ts`. */
  relayProblem(parts: ModuleRef): string | undefined;
}>;

/** Loads publishing and consuming. Returns undefined, and logs it, if no URL of RabbitMQ is set. */
export async function openMessages(
  settings: BrokerSettings,
  log: Pick<Logger, 'info'>,
  options?: BrokerOptions,
): Promise<Messages | undefined> {
  const { KEYFOLD_RABBITMQ_URL: url } = settings;
  if (url === undefined) {
    log.info('KEYFOLD_RABBITMQ_URL is not set: no events are published and no commands are consumed');
    return undefined;
  }
  const [{ MessagesModule, startMessages, requireMessages, measureMessages, relayProblem }, broker] = await Promise.all(
    [import('./messages.module.js'), loadQueuesModule({ ...settings, KEYFOLD_RABBITMQ_URL: url }, options)],
  );
  return {
    moduleFor: (ports, config) => MessagesModule.forRoot([...ports, broker], config),
    start: startMessages,
    require: requireMessages,
    measure: measureMessages,
    relayProblem,
  };
}
