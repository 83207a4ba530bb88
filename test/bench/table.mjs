import { median } from './rounds.mjs';

/**
 * One row a subject: the medians of its rounds. The ratio is the median of the ratios within a round, because the two figures of one
 * round met the same machine.
 */
export function rowsOf(subjects, figures) {
  return subjects.map(({ name, base, goal }) => {
    const own = figures.get(name);
    const middle = (key) => median(own.map((figure) => figure[key]));
    const middles = Object.fromEntries(Object.keys(own[0]).map((key) => [key, middle(key)]));
    const ratio = base && median(own.map(({ perSecond }, round) => perSecond / figures.get(base)[round].perSecond));
    return { name, base, goal, ratio, ...middles };
  });
}

/** The rows as text for a terminal; `busy` is the share of one core that the measured process worked, `stolen` what strangers took of all. */
export function tableOf(rows) {
  const cells = rows.map(({ name, goal, ratio, perSecond, p99, cpu, stolen }) => [
    name,
    Math.round(perSecond).toLocaleString('en'),
    p99 === undefined ? '' : `${p99} ms`,
    cpu === undefined ? '' : `${Math.round(cpu)} us`,
    cpu === undefined ? '' : `${Math.round((perSecond * cpu) / 10_000)} %`,
    `${Math.round(stolen * 100)} %`,
    ratio === undefined ? '' : ratio.toFixed(2),
    goal === undefined ? '' : goal.toFixed(2),
  ]);
  return columns([['', 'a second', 'p99', 'cpu/request', 'busy', 'stolen', 'ratio', 'goal'], ...cells]);
}

/** What was missed, one line each. */
export function missedGoals(rows) {
  return rows
    .filter(({ goal, ratio }) => goal !== undefined && !(ratio >= goal))
    .map(({ name, base, goal, ratio }) => `${name}: ${ratio.toFixed(2)} of ${base}, the goal is ${goal}`);
}

/** Text in columns, the first one to the left and the others to the right. */
export function columns(lines) {
  const widths = lines[0].map((_, at) => Math.max(...lines.map((cells) => cells[at].length)));
  const padded = (cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]));
  return lines.map((cells) => cells.map(padded).join('  ').trimEnd()).join('\n');
}
