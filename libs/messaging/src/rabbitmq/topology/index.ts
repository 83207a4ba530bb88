export * from '../../exchanges.js';
export * from './apply-topology.js';
export * from './check-topology.js';
export { diffTopology, type Broker } from './diff-topology.js';
export * from './finding.js';
export { Management, vhostOf } from './management.js';
export type { ChannelSource } from './scratch-channel.js';
export * from './topology.js';
