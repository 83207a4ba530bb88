import { columns } from '../table.mjs';

const HEADINGS = [
  '',
  'a second',
  'p50',
  'p99',
  'cpu/request',
  'mongod cpu',
  'operations',
  'messages',
  'stolen',
  'ratio',
  'goal',
];

/** Formats the rows for a terminal. All figures but the ratio are per request. */
export function tableOf(rows) {
  const cells = rows.map(
    ({ name, perSecond, p50, p99, cpu, databaseCpu, operations, messages, stolen, ratio, goal }) => [
      name,
      Math.round(perSecond).toLocaleString('en'),
      milliseconds(p50),
      milliseconds(p99),
      microseconds(cpu),
      microseconds(databaseCpu),
      operations.toFixed(2),
      messages.toFixed(2),
      `${Math.round(stolen * 100)} %`,
      ratio === undefined ? '' : ratio.toFixed(2),
      goal === undefined ? '' : goal.toFixed(2),
    ],
  );
  return columns([HEADINGS, ...cells]);
}

/** The generator counts whole milliseconds. */
const milliseconds = (time) => (time < 1 ? '< 1 ms' : `${Math.round(time)} ms`);
const microseconds = (time) => (Number.isFinite(time) ? `${Math.round(time)} us` : '');
