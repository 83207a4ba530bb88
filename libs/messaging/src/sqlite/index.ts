export * from './sqlite-parked-accounts.js';
