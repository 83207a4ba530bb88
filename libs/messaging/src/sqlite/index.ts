export * from './sqlite-parked-relays.js';
