export { messagingModels } from './parked-account.model.js';
export * from './mongo-parked-accounts.js';
