export * from './sqlite-login-hours.js';
export * from './sqlite-throttle-store.js';
