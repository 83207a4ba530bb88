export * from './batcher.js';
export * from './keyed-queue.js';
export * from './waiting.js';
