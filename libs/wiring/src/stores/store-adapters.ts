import type { FactoryProvider, INestApplicationContext, InjectionToken, Provider, ValueProvider } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import {
  CommitFeed,
  CommitHistory,
  Counter,
  EventStore,
  FeedLeases,
  type CommitIntake,
  type StreamCompaction,
} from '@keyfold/event-store';
import { openlistRelayName, relayName, type ParkedAccounts } from '@keyfold/messaging';
import { TURNS } from '@keyfold/openlist';
import { ReadModelStore, TokenUses, type ReadersBehind } from '@keyfold/projections';
import { LoginHours, ThrottleStore } from '@keyfold/security';

/** Checks for readiness whether the store is available. `run` is cheap and bounded in time, and throws an error that names the problem. */
export abstract class StoreCheck {
  abstract run(): Promise<void>;
}

/** The adapters of a store, one for each port, for services and for operator commands. */
export type StoreAdapters = Readonly<{
  kind: 'sqlite' | 'mongodb';
  store: EventStore;
  feed: CommitFeed;
  history: CommitHistory;
  compaction: StreamCompaction;
  counter: Counter;
  intake: CommitIntake;
  readModels: ReadModelStore;
  tokenUses: TokenUses;
  leases: FeedLeases;
  relayLeases: FeedLeases;
  parkedRelays: ParkedAccounts;
  /** Of the relay to OpenList, whose leases are among those of the projector: both can be made again. */
  parkedMirrors: ParkedAccounts;
  loginHours: LoginHours;
  throttle: ThrottleStore;
  check: StoreCheck;
}>;

/** The adapters that are also injected one by one, under their ports. */
const ports = {
  store: EventStore,
  feed: CommitFeed,
  history: CommitHistory,
  counter: Counter,
  readModels: ReadModelStore,
  tokenUses: TokenUses,
  leases: FeedLeases,
  loginHours: LoginHours,
  throttle: ThrottleStore,
  check: StoreCheck,
} satisfies Partial<Record<keyof StoreAdapters, InjectionToken>>;

/** A store that is opened without a Nest application. */
export type OpenStore = Readonly<{ adapters: StoreAdapters; close(): Promise<void> }>;

/** The adapters of the log of a store: its commits, the counters, and how far its events were published. */
export type LogAdapters = Pick<StoreAdapters, 'store' | 'feed' | 'counter' | 'relayLeases' | 'parkedRelays'>;

/** The log of a store that is only read. */
export type OpenLog = Readonly<{ adapters: LogAdapters; close(): Promise<void> }>;

/** A store that a command fills. `finish` lets processes start on it. */
export type FillingStore = OpenStore & Readonly<{ finish(): Promise<void> }>;

/** `sealingKeys` returns the keys in the data folder. It throws `InvalidConfiguration` if they are missing. */
export type OpenSqliteStore = OpenStore & Readonly<{ sealingKeys: () => string }>;

/** Injects `StoreAdapters` as a whole. */
export const STORE_ADAPTERS = Symbol('the adapters of the store');

/** The tokens under which a Nest module exports the adapters. */
export const storePorts: InjectionToken[] = [STORE_ADAPTERS, ...Object.values(ports)];

/** Provides `StoreAdapters` as a whole, and those of `ports` one by one. */
export const portProviders = (
  adapters:
    Pick<ValueProvider<StoreAdapters>, 'useValue'> | Pick<FactoryProvider<StoreAdapters>, 'inject' | 'useFactory'>,
): Provider[] => [
  { provide: STORE_ADAPTERS, ...adapters },
  ...Object.entries(ports).map(([name, port]) => ({
    provide: port,
    inject: [STORE_ADAPTERS],
    useFactory: (all: StoreAdapters) => all[name as keyof StoreAdapters],
  })),
];

export const adaptersOf = (container: INestApplicationContext | ModuleRef): StoreAdapters =>
  container.get<StoreAdapters>(STORE_ADAPTERS, { strict: false });

/** Returns the readers of the feed that must have read a commit before it can be compacted or erased. */
export const readersBehind = ({
  leases,
  relayLeases,
  parkedRelays,
  parkedMirrors,
}: Pick<StoreAdapters, 'leases' | 'relayLeases' | 'parkedRelays' | 'parkedMirrors'>): ReadersBehind => ({
  leases,
  relay: { name: relayName, leases: relayLeases, parked: parkedRelays },
  mirror: { name: openlistRelayName, turns: TURNS, parked: parkedMirrors },
});
