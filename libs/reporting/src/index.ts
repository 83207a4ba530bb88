export * from './histogram.js';
export * from './reason-of.js';
