import { median } from './rounds.mjs';

/**
 * Returns one row per subject with the medians of its rounds. The ratio is the median of the ratios within a round,
 * because both figures of a round ran in the same conditions.
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

/**
 * Formats the rows for a terminal. `busy` is the measured process's share of one core, `stolen` the share of all cores
 * that other machines took.
 */
export function tableOf(rows) {
  const cells = rows.map(({ name, goal, ratio, perSecond, p99, cpu, stolen }) => [
    name,
    whole(perSecond),
    p99 === undefined ? '' : `${p99} ms`,
    cpu === undefined ? '' : `${Math.round(cpu)} us`,
    cpu === undefined ? '' : percent((perSecond * cpu) / 1e6),
    percent(stolen),
    decimals(ratio),
    decimals(goal),
  ]);
  return columns([['', 'a second', 'p99', 'cpu/request', 'busy', 'stolen', 'ratio', 'goal'], ...cells]);
}

/** Prints the missed goals, which set the exit status. */
export function report(missed) {
  for (const line of missed) console.log(`goal missed: ${line}`);
  if (missed.length === 0) console.log('every goal is met');
  process.exitCode = missed.length === 0 ? 0 : 1;
}

/** Returns one line for each missed goal. */
export function missedGoals(rows) {
  return rows
    .filter(({ goal, ratio }) => goal !== undefined && !(ratio >= goal))
    .map(({ name, base, goal, ratio }) => `${name}: ${ratio.toFixed(2)} of ${base}, the goal is ${goal}`);
}

/** Formats a rate, with separators of thousands. */
export const whole = (rate) => Math.round(rate).toLocaleString('en');
export const percent = (share) => `${Math.round(share * 100)} %`;
export const decimals = (number) => number?.toFixed(2) ?? '';

/** Aligns cells in columns, the first to the left and the others to the right. */
export function columns(lines) {
  const widths = lines[0].map((_, at) => Math.max(...lines.map((cells) => cells[at].length)));
  const padded = (cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]));
  return lines.map((cells) => cells.map(padded).join('  ').trimEnd()).join('\n');
}
