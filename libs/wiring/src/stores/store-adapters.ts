import type { FactoryProvider, InjectionToken } from '@nestjs/common';
import { Counter, EventStore, FeedLeases } from '@keyfold/event-store';
import { ParkedRelays, RelayLeases } from '@keyfold/messaging';
import { ReadModelStore } from '@keyfold/projections';
import { ThrottleStore } from '@keyfold/security';
import { StoreCheck } from './store-check.js';

/** The ports that every store implements, by the names of their adapters. */
const ports = {
  store: EventStore,
  counter: Counter,
  readModels: ReadModelStore,
  leases: FeedLeases,
  relayLeases: RelayLeases,
  parkedRelays: ParkedRelays,
  throttle: ThrottleStore,
  check: StoreCheck,
} as const;

type AdapterName = keyof typeof ports;

/** The adapters of a store: one for each port. A store lists them once, for services and for commands. */
export type StoreAdapters = Readonly<{ [Name in AdapterName]: InstanceType<(typeof ports)[Name]> }>;

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
    useFactory: (all: StoreAdapters) => all[name as AdapterName],
  }));
