export * from './ask-embedded-store.js';
export * from './broker-command.js';
export { operatorRunner } from './operator.runner.js';
export * from './operator-stores.js';
export type { OperatorArgs, OperatorCommandName, OperatorRequest, ReplaySelection } from './operator-command-map.js';
export * from './output/operator-output.js';
export { requireFreeFolder } from './socket/require-free-folder.js';
