export { eventStoreModels } from './commit.model.js';
export * from './mongo-connection.js';
export * from './mongo-schema.js';
export * from './mongo-event-store.js';
export * from './mongo-intake.js';
export { feedModels, MongoFeedLeases } from './feed/mongo-feed-leases.js';
