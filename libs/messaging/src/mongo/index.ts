export { messagingModels, MongoParkedAccounts } from './mongo-parked-accounts.js';
