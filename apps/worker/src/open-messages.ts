import type { DynamicModule, INestApplication } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import type { BrokerSettings, Health, Metrics } from '@keyfold/process';
import { loadQueuesModule, type BrokerOptions } from '@keyfold/wiring';
import type { Logger } from 'pino';
import type { WorkerConfig } from './worker.config.js';

/** What a process with a broker does beside its other work; only such a process loads it. */
export type Messages = Readonly<{
  /** `ports` provide the store, and what reads and changes the truth. */
  moduleFor(ports: readonly DynamicModule[], config: WorkerConfig): DynamicModule;
  start(app: INestApplication): void;
  require(app: INestApplication, health: Health): void;
  measure(app: INestApplication, metrics: Metrics): void;
  relayProblem(parts: ModuleRef): string | undefined;
}>;

/** Undefined without an address of RabbitMQ, which the log then says once. */
export async function openMessages(
  settings: BrokerSettings,
  log: Pick<Logger, 'info'>,
  options?: BrokerOptions,
): Promise<Messages | undefined> {
  const { KEYFOLD_RABBITMQ_URL: url } = settings;
  if (url === undefined) {
    log.info('KEYFOLD_RABBITMQ_URL is not set: other services are told nothing and cannot send commands');
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
