export { projectionModels } from './read-model.model.js';
export * from './mongo-read-model-store.js';
export { MongoTokenUses, tokenUseModels } from './mongo-token-uses.js';
