export { limitConnections, markProven } from './connection-limit.js';
export * from './exit.js';
export * from './health.js';
export { collectWhenIdle } from './idle-memory.js';
export { createLog, createThreadLog, writeLine } from './log/create-log.js';
export { NestLog } from './log/nest-log.js';
export { RepeatedLine } from './log/repeated-line.js';
export { LimitedSecurityLog, securityLogProvider } from './log/security-log.js';
export { metricDefinitions } from './metrics/metric-names.js';
export { addUp, measureProcess, Metrics, type Sample } from './metrics/metrics.js';
export {
  browserAddress,
  firstPasswordNote,
  keepNextTickQuick,
  runProcess,
  setupNote,
  type ProcessContext,
  type Running,
} from './run-process.js';
export { boundUrl } from './management-server.js';
export { serviceAppId, serviceVersion, version } from './service-version.js';
export { createFolder, flush, requireOwnFile, requireOwnFolder } from './settings/own-files.js';
export { openlistOf, openlistSettings, type OpenListSettings } from './settings/openlist.settings.js';
export { InvalidConfiguration, readSettings, UnusableAddress, type Environment } from './settings/read-settings.js';
export { sealingKeys } from './settings/setting-types.js';
export * from './settings/settings.js';
export { unknownSettings } from './settings/unknown-settings.js';
export { openTracing } from './tracing/open-tracing.js';
export * from './tracing/tracing.js';
