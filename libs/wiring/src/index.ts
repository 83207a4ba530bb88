export * from './load.js';
export { mirrorOf, OpenListModule } from './openlist/openlist.module.js';
export * from './rabbitmq/broker.js';
export { TopologyWatch } from './rabbitmq/topology-watch.js';
export { StoreSharing, type JoinableStore } from './sqlite/store-sharing.js';
export * from './stores/append-samples.js';
export * from './stores/event-sourcing.module.js';
export * from './stores/secrets.module.js';
export { adaptersOf, portProviders, readersBehind, STORE_ADAPTERS, StoreCheck } from './stores/store-adapters.js';
export type {
  FillingStore,
  LogAdapters,
  OpenLog,
  OpenSqliteStore,
  OpenStore,
  StoreAdapters,
} from './stores/store-adapters.js';
export * from './stores/until-available.js';
