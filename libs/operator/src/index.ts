export type { OperatorOutput, Progress } from './command-run.js';
export { importOpenlist } from './import/import-openlist.js';
export * from './operator-store.js';
export { operatorSocketProvider } from './operator-socket.provider.js';
export { printable, printableOutput, quoted } from './output/printable.js';
export { runOnEmbeddedStore, runOnStore } from './run-command.js';
export { parseSettings } from './settings/save-settings.js';
export { requireFreeFolder } from './socket/operator-socket.client.js';
