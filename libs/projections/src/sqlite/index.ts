export * from './sqlite-read-model-store.js';
