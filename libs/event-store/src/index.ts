export * from './commit.js';
export * from './event-store.js';
export * from './event-store.errors.js';
export * from './batcher.js';
export * from './feed/feed-leases.js';
export * from './feed/feed-reader.js';
