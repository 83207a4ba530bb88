import type { CommitFeed } from '@keyfold/event-store';
import { relayName } from '@keyfold/messaging';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EventAudit } from '../fault/event-audit.js';
import type { ComposeProject } from '../support/compose/compose-project.js';
import { EventSubscriber } from '../support/rabbitmq/event-subscriber.js';
import { managementApi } from '../support/rabbitmq/management-api.js';
import { StoreInspection } from '../support/scaled-check.js';
import type { Deployment } from './deployment.js';
import { until } from './until.js';

const PASSWORD = 'of-a-subscriber';

/**
 * Another service beside the deployment that hears every event from now on, as a user of RabbitMQ with the rights of a subscriber, and
 * somebody who looks into the database: what the one has is compared with what the other finds.
 */
export class Audit {
  private constructor(
    private readonly subscriber: EventSubscriber,
    private readonly inspection: StoreInspection,
    private readonly audit: EventAudit,
    /** Where each slot ended when the subscriber began. */
    private readonly begin: ReadonlyMap<number, number>,
  ) {}

  /** Nobody may write meanwhile. `name` is that of the service. */
  static async begin({ folder, project }: Deployment, name: string): Promise<Audit> {
    const guest = await project.visitor(name, ['data', 'messages']);
    const secret = (file: string) => readFile(join(folder, 'deploy/secrets', file), 'utf8');
    const there = (service: string, network: string, port: number) =>
      guest.tunnel({ host: addressOf(project, service, network), port });

    const mongodb = new URL((await secret('mongodb-uri')).trim());
    mongodb.host = `127.0.0.1:${await there('mongo', 'data', 27_017)}`;
    mongodb.search = 'directConnection=true';
    const inspection = await StoreInspection.open(mongodb.href);
    const begin = new Map(await inspection.events.readHeads());
    await untilRelayed(inspection, begin);

    const operator = new URL((await secret('rabbitmq-operator-url')).trim());
    const management = `http://${operator.username}:${operator.password}@127.0.0.1:${await there('rabbitmq', 'messages', 15_672)}`;
    await makeSubscriber(management, name);
    const url = `amqp://${name}:${PASSWORD}@127.0.0.1:${await there('rabbitmq', 'messages', 5_672)}/keyfold`;
    const subscriber = await EventSubscriber.open(url, `${name}.every-event`);
    return new Audit(subscriber, inspection, new EventAudit(subscriber), begin);
  }

  /** A sentence for each event that did not come or came out of order, and for each thing that clients were told and no event tells. */
  async check(told: Iterable<string>): Promise<string[]> {
    const { events } = this.inspection;
    const sinceBegin: Pick<CommitFeed, 'slots' | 'readFeed'> = {
      slots: events.slots,
      readFeed: (slot, after, limit) => events.readFeed(slot, Math.max(after, this.begin.get(slot) ?? 0), limit),
    };
    const violations = await this.audit.check(sinceBegin);
    return [...violations, ...this.audit.untold(told).map((fact) => `no event tells of ${fact}`)];
  }

  /** How many events were compared. */
  get count(): number {
    return this.audit.count;
  }

  async close(): Promise<void> {
    await this.subscriber.close();
    await this.inspection.close();
  }
}

function addressOf(project: ComposeProject, service: string, network: string): string {
  const [address] = project.addresses(service, network);
  if (address === undefined) throw new Error(`${service} has no address in ${network}`);
  return address;
}

/** As docs/subscribing.md says. */
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
  }, 'every event of before was sent');
}
