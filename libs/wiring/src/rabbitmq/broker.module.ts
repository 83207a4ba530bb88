import { Logger, Module, type DynamicModule } from '@nestjs/common';
import { BrokerConnection } from '@keyfold/messaging/rabbitmq';
import { BrokerCheck } from './broker-check.js';
import { BrokerConnections } from './broker-connections.js';
import { BrokerLog } from './broker-log.js';
import type { BrokerModuleSettings, BrokerOptions } from './broker-options.js';
import { topologyCheck } from './topology-check.js';
import { TopologyWatch } from './topology-watch.js';

const log = new Logger('RabbitMQ');

@Module({})
export class BrokerModule {
  /**
   * Provides `BrokerConnections`, `TopologyWatch` and `BrokerCheck`. The start does not wait for RabbitMQ, which may be away for any
   * time.
   */
  static forRoot(settings: BrokerModuleSettings, options: BrokerOptions = {}): DynamicModule {
    return {
      module: BrokerModule,
      providers: [
        { provide: BrokerConnections, useFactory: () => openConnections(settings.KEYFOLD_RABBITMQ_URL) },
        {
          provide: TopologyWatch,
          inject: [BrokerConnections],
          useFactory: ({ consumer }: BrokerConnections) =>
            new TopologyWatch(consumer, { look: topologyCheck(consumer, settings, options, log), log }),
        },
        {
          provide: BrokerCheck,
          inject: [BrokerConnections, TopologyWatch],
          useFactory: (connections: BrokerConnections, topology: TopologyWatch) =>
            new BrokerCheck(connections, topology),
        },
      ],
      exports: [BrokerConnections, TopologyWatch, BrokerCheck],
    };
  }
}

async function openConnections(url: string): Promise<BrokerConnections> {
  const { host } = new URL(url);
  const told = new BrokerLog(host, log, ['publisher', 'consumer']);
  const open = (role: 'publisher' | 'consumer') =>
    BrokerConnection.open(url, { role, onState: (state, reason) => told.tell(role, state, reason) });
  const [publisher, consumer] = await Promise.all([open('publisher'), open('consumer')]);
  return new BrokerConnections(publisher, consumer, host);
}
