export * from './commit.js';
export * from './event-store.js';
export * from './event-store.errors.js';
