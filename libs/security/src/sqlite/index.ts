export * from './sqlite-throttle-store.js';
