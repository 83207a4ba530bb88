export * from './open-operator-store.js';
export type { OperatorArgs, OperatorCommandName, OperatorRequest, ReplayFilterArgs } from './operator-commands.js';
export { operatorSocketProvider } from './operator-socket.provider.js';
export * from './output/operator-output.js';
export * from './run-broker-command.js';
export * from './run-on-embedded-store.js';
export * from './run-on-store.js';
export { requireFreeFolder } from './socket/require-free-folder.js';
