export { projectionModels } from './read-model.model.js';
export * from './mongo-read-model-store.js';
export { sessionUseModels } from './session-uses.model.js';
export * from './mongo-session-uses.js';
