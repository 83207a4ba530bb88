export { projectionModels } from './read-model.model.js';
export * from './mongo-read-model-store.js';
