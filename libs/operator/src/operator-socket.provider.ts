import type { BeforeApplicationShutdown, FactoryProvider, OnApplicationBootstrap } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ActivityHistory, Clock, CommandRunner, NewPasswords, UserNames } from '@keyfold/application';
import { CommitFeed, CommitHistory, Counter, EventStore, FeedLeases, StreamCompaction } from '@keyfold/event-store';
import { ParkedAccounts, RELAY_LEASES } from '@keyfold/messaging';
import { Projection, ReadModelStore, TokenUses, StreamLoader } from '@keyfold/projections';
import { Sealer, ThrottleStore } from '@keyfold/security';
import { OperatorCommandRunner } from './operator-command.runner.js';
import { OperatorSocketServer } from './socket/operator-socket.server.js';

/** Accepts operator requests in the process that owns a data folder. */
class OperatorSocket implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #server: OperatorSocketServer;

  constructor(
    private readonly folder: string,
    runner: OperatorCommandRunner,
  ) {
    this.#server = new OperatorSocketServer((request, output, signal) => runner.run(request, output, signal));
  }

  /** Starts listening. Throws `OperatorSocketError`. */
  onApplicationBootstrap(): Promise<void> {
    return this.#server.start(this.folder);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.#server.close();
  }
}

const NO_BROKER = 'KEYFOLD_RABBITMQ_URL is not set in the running process. Set it and restart the process';

/**
 * Provides the operator socket of a process, whose commands run on the ports of that process. `relayProblem` returns why it publishes no
 * events now; a process without RabbitMQ passes none.
 */
export const operatorSocketProvider = (
  folder: string,
  sessionDays: number,
  relayProblem: ((parts: ModuleRef) => string | undefined) | undefined,
): FactoryProvider<OperatorSocket> => ({
  provide: OperatorSocket,
  inject: [
    EventStore,
    CommitFeed,
    CommitHistory,
    StreamCompaction,
    Counter,
    ReadModelStore,
    TokenUses,
    FeedLeases,
    RELAY_LEASES,
    ParkedAccounts,
    ThrottleStore,
    StreamLoader,
    Projection,
    CommandRunner,
    UserNames,
    NewPasswords,
    Sealer,
    Clock,
    ModuleRef,
  ],
  useFactory: (
    store: EventStore,
    feed: CommitFeed,
    history: CommitHistory,
    compaction: StreamCompaction,
    counter: Counter,
    readModels: ReadModelStore,
    tokenUses: TokenUses,
    leases: FeedLeases,
    relayLeases: FeedLeases,
    parkedRelays: ParkedAccounts,
    throttle: ThrottleStore,
    loader: StreamLoader,
    projection: Projection,
    runner: CommandRunner,
    names: UserNames,
    passwords: NewPasswords,
    sealer: Sealer,
    clock: Clock,
    parts: ModuleRef,
  ) => {
    const reading = { store, feed, compaction, counter, readModels, tokenUses, loader };
    const states = { leases, relayLeases, parkedRelays, throttle };
    const changing = { projection, runner, names, newPasswords: async () => passwords, sealer: async () => sealer };
    const activity = new ActivityHistory(history, store, readModels);
    const reported = { relayProblem: () => (relayProblem ? relayProblem(parts) : NO_BROKER) };
    const times = { sessionDays, clock };
    const ports = { ...reading, ...states, ...changing, ...reported, ...times, activity, isAlone: false };
    return new OperatorSocket(folder, new OperatorCommandRunner(ports));
  },
});
