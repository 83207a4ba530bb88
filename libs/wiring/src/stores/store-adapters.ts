import type { FactoryProvider, INestApplicationContext, InjectionToken } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { CommitFeed, CommitHistory, Counter, EventStore, FeedLeases, StreamCompaction } from '@keyfold/event-store';
import { ParkedAccounts, RELAY_LEASES } from '@keyfold/messaging';
import { ReadModelStore, TokenUses } from '@keyfold/projections';
import { ThrottleStore } from '@keyfold/security';
import { StoreCheck } from './store-check.js';

/** The adapters of a store, one for each port, for services and for operator commands. */
export type StoreAdapters = Readonly<{
  store: EventStore;
  feed: CommitFeed;
  history: CommitHistory;
  compaction: StreamCompaction;
  counter: Counter;
  readModels: ReadModelStore;
  tokenUses: TokenUses;
  leases: FeedLeases;
  relayLeases: FeedLeases;
  parkedRelays: ParkedAccounts;
  throttle: ThrottleStore;
  check: StoreCheck;
}>;

/** The injection token of each adapter. */
const ports = {
  store: EventStore,
  feed: CommitFeed,
  history: CommitHistory,
  compaction: StreamCompaction,
  counter: Counter,
  readModels: ReadModelStore,
  tokenUses: TokenUses,
  leases: FeedLeases,
  relayLeases: RELAY_LEASES,
  parkedRelays: ParkedAccounts,
  throttle: ThrottleStore,
  check: StoreCheck,
} satisfies Record<keyof StoreAdapters, InjectionToken>;

/** A store that is opened without a Nest application. */
export type OpenStore = Readonly<{ adapters: StoreAdapters; close(): Promise<void> }>;

/** `sealingKeys` returns the keys in the data folder. It throws `InvalidConfiguration` if they are missing. */
export type OpenSqliteStore = OpenStore & Readonly<{ sealingKeys: () => string }>;

/** The tokens under which a Nest module exports the adapters. */
export const storePorts = Object.values(ports);

/** Provides each port from the `StoreAdapters` under a token. */
export const portProviders = (adapters: InjectionToken): FactoryProvider[] =>
  Object.entries(ports).map(([name, port]) => ({
    provide: port,
    inject: [adapters],
    useFactory: (all: StoreAdapters) => all[name as keyof StoreAdapters],
  }));

/** Returns the adapters that the modules of a container provide. */
export function adaptersOf(container: INestApplicationContext | ModuleRef): StoreAdapters {
  const found = Object.entries(ports).map(([name, port]) => [name, container.get(port as symbol, { strict: false })]);
  return Object.fromEntries(found) as StoreAdapters;
}
