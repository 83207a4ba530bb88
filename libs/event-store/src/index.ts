export * from './append-counts.js';
export * from './commit.js';
export * from './compaction.js';
export * from './event-store.js';
export * from './event-store.errors.js';
export * from './feed/commit-feed.js';
export * from './feed/feed-leases.js';
export * from './feed/feed-reader.js';
