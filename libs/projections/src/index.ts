export * from './projecting/key-owners.js';
export * from './projecting/key-owner-search.js';
export * from './loading/fold.js';
export * from './loading/state-weight.js';
export * from './loading/stream-loader.js';
export * from './loading/stream-ref.js';
export * from './projecting/list-updates.js';
export * from './projecting/projection.js';
export * from './projecting/projector.js';
export * from './read-model.js';
export * from './read-model-store.js';
export { readersBefore, type ReadersBehind } from './retention/readers-behind.js';
export * from './retention/retention.js';
export {
  SessionCompaction,
  type CompactedCount,
  type CompactedPage,
  type CompactionParts,
} from './retention/session-compaction.js';
export * from './token-uses.js';
export { walkFeed } from './verification/pages.js';
export * from './verification/rebuild.js';
export * from './verification/verification.js';
