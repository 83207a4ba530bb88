export { eventStoreModels } from './commit.model.js';
export * from './mongo-connection.js';
export * from './mongo-schema.js';
export * from './mongo-event-store.js';
export { feedModels, MongoFeedLeases } from './feed/mongo-feed-leases.js';
