import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { findRabbitmq, type RabbitmqService } from './rabbitmq-service.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Serves the run's `FoundRabbitmq`. Finds or starts RabbitMQ when the first test asks. */
    rabbitmqLocator: string;
  }
}

/** The addresses, or the reason why there are none. */
export type FoundRabbitmq = Readonly<{ url: string; managementUrl: string; missing?: string }>;

type Locator = Readonly<{ server: Server; found: { service?: Promise<RabbitmqService> } }>;

/** Shared because each project of a run loads this file separately. */
const shared = globalThis as { keyfoldTestRabbitmq?: Promise<Locator> };

/** Starts nothing until a test asks: most small runs need no broker, and a private one takes ten seconds to start. */
export default async function setup(project: TestProject) {
  shared.keyfoldTestRabbitmq ??= listen();
  const { server, found } = await shared.keyfoldTestRabbitmq;
  project.provide('rabbitmqLocator', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    delete shared.keyfoldTestRabbitmq;
    server.close();
    server.closeAllConnections();
    const service = await found.service?.catch(() => undefined);
    delete found.service;
    await service?.stop();
  };
}

async function listen(): Promise<Locator> {
  const found: Locator['found'] = {};
  const server = createServer((_, response) => {
    found.service ??= findRabbitmq();
    const answer: Promise<FoundRabbitmq> = found.service.then(
      ({ url, managementUrl }) => ({ url, managementUrl }),
      ({ message }: Error) => ({ url: '', managementUrl: '', missing: message }),
    );
    void answer.then((found) => response.end(JSON.stringify(found)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, found };
}
