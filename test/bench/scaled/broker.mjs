import '../../support/typescript-sources.mjs';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { rabbitmq } from './built.mjs';

const { findRabbitmq } = await import('../../support/rabbitmq/rabbitmq-service.ts');
const { managementApi } = await import('../../support/rabbitmq/management-api.ts');

/** The queue of a subscriber that receives everything and must lose nothing. */
export const SUBSCRIBER = 'bench.subscriber';

/** A new virtual host on the RabbitMQ of the tests, with the service's topology and one subscriber. */
export class Broker {
  static async start() {
    const service = await findRabbitmq();
    const api = managementApi(service.managementUrl);
    const vhost = `keyfold-bench-${randomUUID()}`;
    await api('PUT', `/vhosts/${vhost}`);
    const user = decodeURIComponent(new URL(service.url).username) || 'guest';
    await api('PUT', `/permissions/${vhost}/${user}`, { configure: '.*', write: '.*', read: '.*' });
    const broker = new Broker(service, api, vhost);
    await broker.#declare();
    return broker;
  }

  constructor(service, api, vhost) {
    this.service = service;
    this.api = api;
    this.vhost = vhost;
    this.url = Object.assign(new URL(service.url), { pathname: `/${vhost}` }).toString();
  }

  /** Purges the messages, so that all rounds start alike. */
  async empty() {
    await this.api('DELETE', `/queues/${this.vhost}/${SUBSCRIBER}/contents`);
    await pause(500);
  }

  async stop() {
    await this.api('DELETE', `/vhosts/${this.vhost}`);
    await this.service.stop();
  }

  async #declare() {
    await brokerConnected(this.url, 'operator', async (connection) => {
      await rabbitmq.applyTopology({ channels: connection, management: undefined, vhost: this.vhost });
      const channel = await connection.channel();
      await channel.assertQueue(SUBSCRIBER, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
      await channel.bindQueue(SUBSCRIBER, rabbitmq.EVENTS_EXCHANGE, '#');
    });
  }
}

/** Runs `work` on an open connection. */
export async function brokerConnected(url, role, work) {
  const connection = await rabbitmq.BrokerConnection.open(url, { role });
  try {
    while (connection.state !== 'connected') await pause(10);
    return await work(connection);
  } finally {
    await connection.close();
  }
}
