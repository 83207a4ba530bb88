export * from './mongo-login-hours.js';
export { throttleModels } from './throttle.model.js';
export * from './mongo-throttle-store.js';
