import { columns, decimals, percent, whole } from '../table.mjs';

/** Formats the rows for a terminal. All figures but the ratio are per request. */
export function tableOf(rows) {
  const figures = ['a second', 'p50', 'p99', 'cpu/request', 'mongod cpu', 'operations', 'messages', 'stolen'];
  const cells = rows.map((row) => [
    row.name,
    whole(row.perSecond),
    ...[row.p50, row.p99].map(milliseconds),
    ...[row.cpu, row.databaseCpu].map(microseconds),
    ...[row.operations, row.messages].map(decimals),
    percent(row.stolen),
    ...[row.ratio, row.goal].map(decimals),
  ]);
  return columns([['', ...figures, 'ratio', 'goal'], ...cells]);
}

/** The generator counts whole milliseconds. */
const milliseconds = (time) => (time < 1 ? '< 1 ms' : `${Math.round(time)} ms`);
const microseconds = (time) => (Number.isFinite(time) ? `${Math.round(time)} us` : '');
