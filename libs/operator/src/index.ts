export * from './operator-store.js';
export { operatorSocketProvider } from './operator-socket.provider.js';
export * from './output/operator-output.js';
export { printable, quoted } from './output/printable.js';
export * from './run-on-store.js';
export { parseSettings } from './settings/save-settings.js';
export { requireFreeFolder } from './socket/require-free-folder.js';
