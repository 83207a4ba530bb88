import type { DynamicModule } from '@nestjs/common';
import type { BrokerSettings } from '@keyfold/process';
import { loadQueuesModule, type BrokerOptions } from '@keyfold/wiring';
import type { Logger } from 'pino';

/** Publishing and consuming messages, loaded only by a process with a broker. */
export type Messages = NonNullable<Awaited<ReturnType<typeof openMessages>>>;

/** Loads publishing and consuming. Returns undefined, and logs it, if no URL of RabbitMQ is set. */
export async function openMessages(settings: BrokerSettings, log: Pick<Logger, 'info'>, options?: BrokerOptions) {
  const { KEYFOLD_RABBITMQ_URL: url } = settings;
  if (url === undefined) {
    log.info('KEYFOLD_RABBITMQ_URL is not set: no events are published and no commands are consumed');
    return undefined;
  }
  const [{ MessagesModule, startMessages, requireMessages, measureMessages, relayProblem }, broker] = await Promise.all(
    [import('./messages.module.js'), loadQueuesModule({ ...settings, KEYFOLD_RABBITMQ_URL: url }, options)],
  );
  return {
    moduleFor: (ports: readonly DynamicModule[], leaseMilliseconds: number) =>
      MessagesModule.forRoot([...ports, broker], leaseMilliseconds),
    start: startMessages,
    require: requireMessages,
    measure: measureMessages,
    relayProblem,
  };
}
