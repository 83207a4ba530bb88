export * from './sqlite-read-model-store.js';
export * from './sqlite-session-uses.js';
