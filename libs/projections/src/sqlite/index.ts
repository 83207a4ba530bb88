export * from './sqlite-read-model-store.js';
export * from './sqlite-token-uses.js';
