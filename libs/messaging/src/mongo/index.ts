export { messagingModels } from './parked-relay.model.js';
export * from './mongo-parked-relays.js';
