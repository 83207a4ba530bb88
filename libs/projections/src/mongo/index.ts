export { projectionModels } from './read-model.model.js';
export * from './mongo-read-model-store.js';
export { tokenUseModels } from './token-uses.model.js';
export * from './mongo-token-uses.js';
