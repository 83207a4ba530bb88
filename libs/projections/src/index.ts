export * from './fold.js';
export * from './projection.js';
export * from './projector.js';
export * from './read-model-store.js';
export * from './read-model.js';
export * from './stream-loader.js';
export * from './rebuild.js';
export * from './verification/verification.js';
