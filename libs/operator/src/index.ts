export * from './ask-embedded-store.js';
export * from './broker-command.js';
export { operatorRunner } from './operator.runner.js';
export * from './operator-stores.js';
export * from './output/operator-request.js';
export { requireFreeFolder } from './socket/require-free-folder.js';
