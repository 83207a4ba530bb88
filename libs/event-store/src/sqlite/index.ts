export * from './folder-lock.js';
export * from './sqlite-event-store.js';
export * from './sqlite-feed-leases.js';
export * from './sqlite-intake.js';
export * from './sqlite-connection.js';
export * from './sqlite-file.js';
export * from './sqlite-snapshot.js';
export type { Row, WriteStatement } from './sqlite-writer.worker.js';
