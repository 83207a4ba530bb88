import type { BeforeApplicationShutdown, FactoryProvider, OnApplicationBootstrap } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { portsOf, type OperatorPorts } from './command-run.js';
import { runCommand } from './run-command.js';
import { OperatorSocketServer } from './socket/operator-socket.server.js';

/** Accepts operator requests in the process that owns a data folder. */
class OperatorSocket implements OnApplicationBootstrap, BeforeApplicationShutdown {
  #server: OperatorSocketServer | undefined;

  constructor(
    private readonly folder: string,
    private readonly ports: () => OperatorPorts,
  ) {}

  /** Starts listening. Throws `OperatorSocketError`. */
  onApplicationBootstrap(): Promise<void> {
    const ports = this.ports();
    this.#server = new OperatorSocketServer((request, output, signal) => runCommand(ports, request, output, signal));
    return this.#server.start(this.folder);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#server?.close();
  }
}

const NO_BROKER = 'KEYFOLD_RABBITMQ_URL is not set in the running process. Set it and restart the process';

/**
 * Provides the operator socket of a process, whose commands run on the ports of that process. `relayProblem` returns why it publishes no
 * events now; a process without RabbitMQ passes none.
 */
export const operatorSocketProvider = (
  folder: string,
  { sessionDays, eventLogDays }: Pick<OperatorPorts, 'sessionDays' | 'eventLogDays'>,
  relayProblem: ((parts: ModuleRef) => string | undefined) | undefined,
): FactoryProvider<OperatorSocket> => ({
  provide: OperatorSocket,
  inject: [ModuleRef],
  useFactory(parts: ModuleRef) {
    const reported = () => (relayProblem ? relayProblem(parts) : NO_BROKER);
    const own = { isAlone: false, sessionDays, eventLogDays, relayProblem: reported };
    return new OperatorSocket(folder, () => portsOf(parts, own));
  },
});
