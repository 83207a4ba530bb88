export { eventStoreModels } from './commit.model.js';
export * from './mongo-connection.js';
export * from './mongo-schema.js';
export * from './primary-barrier.js';
export * from './mongo-counter.js';
export * from './mongo-event-store.js';
export { feedModels } from './feed-lease.model.js';
export * from './mongo-feed-leases.js';
