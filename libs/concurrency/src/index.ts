export * from './back-off.js';
export * from './batcher.js';
export * from './keyed-queue.js';
export * from './unless-aborted.js';
export * from './wait-at-most.js';
