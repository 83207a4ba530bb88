import type { CommitFeed } from '@keyfold/event-store';
import { relayName } from '@keyfold/messaging';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EventAudit } from '../fault/event-audit.js';
import { EventSubscriber } from '../support/rabbitmq/event-subscriber.js';
import { managementApi } from '../support/rabbitmq/management-api.js';
import { StoreInspection } from '../support/scaled-check.js';
import type { Deployment } from './deployment.js';
import { until } from './until.js';

const PASSWORD = 'of-a-subscriber';

/**
 * Compares what a subscriber receives from now on with what the database contains. The subscriber is another service
 * beside the deployment, with its own RabbitMQ user and a subscriber's rights.
 */
export class Audit {
  private constructor(
    private readonly subscriber: EventSubscriber,
    private readonly inspection: StoreInspection,
    private readonly audit: EventAudit,
    /** The head of each slot when the subscriber started. */
    private readonly begin: ReadonlyMap<number, number>,
  ) {}

  /** Starts the audit under the name of the service. Nobody may write meanwhile. */
  static async begin(deployment: Deployment, name: string): Promise<Audit> {
    const secret = (file: string) => readFile(join(deployment.folder, 'deploy/secrets', file), 'utf8');
    const [database] = await deployment.addresses('mongo', 'data');
    const [broker] = await deployment.addresses('rabbitmq', 'messages');

    const mongodb = new URL((await secret('mongodb-uri')).trim());
    mongodb.host = `${database}:27017`;
    mongodb.search = 'directConnection=true';
    const inspection = await StoreInspection.open(mongodb.href);
    const begin = new Map(await inspection.events.readHeads());
    await untilRelayed(inspection, begin);

    const operator = new URL((await secret('rabbitmq-operator-url')).trim());
    const management = `http://${operator.username}:${operator.password}@${broker}:15672`;
    await makeSubscriber(management, name);
    // The last release lets subscribers into the network of the broker.
    const [door = broker] = await deployment.addresses('amqp', 'subscribers');
    const url = `amqp://${name}:${PASSWORD}@${door}:5672/keyfold`;
    const subscriber = await EventSubscriber.open(url, `${name}.every-event`);
    return new Audit(subscriber, inspection, new EventAudit(subscriber), begin);
  }

  /**
   * Returns a sentence for each event that is missing or out of order, and for each acknowledged change without an
   * event.
   */
  async check(acknowledged: Iterable<string>): Promise<string[]> {
    const { events } = this.inspection;
    const sinceBegin: Pick<CommitFeed, 'slots' | 'readFeed'> = {
      slots: events.slots,
      readFeed: (slot, after, limit) => events.readFeed(slot, Math.max(after, this.begin.get(slot) ?? 0), limit),
    };
    const violations = await this.audit.check(sinceBegin);
    return [...violations, ...this.audit.unreported(acknowledged).map((fact) => `no event reports ${fact}`)];
  }

  /** Returns the number of events compared. */
  get count(): number {
    return this.audit.count;
  }

  async close(): Promise<void> {
    await this.subscriber.close();
    await this.inspection.close();
  }
}

/** Creates the user and the queue of a subscriber as docs/connect/events.md describes. */
async function makeSubscriber(managementUrl: string, name: string): Promise<void> {
  const api = managementApi(managementUrl);
  await api('PUT', `/users/${name}`, { password: PASSWORD, tags: '' });
  const own = `^${name}\\.`;
  await api('PUT', `/permissions/keyfold/${name}`, {
    configure: own,
    write: own,
    read: `^(${name}\\.|keyfold\\.events$)`,
  });
}

async function untilRelayed({ leases }: StoreInspection, heads: ReadonlyMap<number, number>): Promise<void> {
  await until(async () => {
    const reached = new Map((await leases.progress(relayName)).map(({ slot, position }) => [slot, position]));
    return [...heads].every(([slot, head]) => (reached.get(slot) ?? 0) >= head);
  }, 'the relay has sent every earlier event');
}
