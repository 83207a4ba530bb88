import { columnsOf, fitted } from './printable.js';

type Cell = string | number;
type Row = readonly Cell[];
/** A column of a table whose rows are not known yet. */
export type Column = Readonly<{ head: string; width: number; isNumeric?: boolean }>;

/** The width of a terminal. No line of a table is longer. */
export const LINE_COLUMNS = 80;
const GAP = '  ';
/** The last column usually has the longest and least important texts. */
const LAST_COLUMN = 16;

/** Returns the lines of a table. Columns with numbers are right-aligned. Truncates the longest texts if a line would be too long. */
export function* tableOf(head: readonly string[], rows: readonly Row[], total?: Row): Generator<string> {
  const all = [head, ...rows, ...(total ? [total] : [])];
  const isNumeric = head.map((_, column) => all.some((row) => typeof row[column] === 'number'));
  const widths = narrowed(
    head.map((_, column) => all.reduce((width, row) => Math.max(width, widthOf(row[column]!)), 0)),
    isNumeric,
  );
  const columns = widths.map((width, column) => ({ width, isNumeric: isNumeric[column]! }));
  for (const row of all) yield lineOf(row, columns);
}

/** Returns the first line of a table with these columns. */
export const headOf = (columns: readonly Column[]): string =>
  lineOf(
    columns.map(({ head }) => head),
    columns,
  );

/** Returns a line of a table with these columns, for tables that are too long to be kept in memory. Truncates texts. */
export const lineOf = (row: Row, columns: readonly Omit<Column, 'head'>[]): string =>
  columns
    .map(({ width, isNumeric = false }, column) => {
      const text = fitted(String(row[column]), width);
      const padding = ' '.repeat(width - columnsOf(text));
      return isNumeric ? padding + text : text + padding;
    })
    .join(GAP)
    .trimEnd();

const widthOf = (cell: Cell) => columnsOf(fitted(String(cell), LINE_COLUMNS));

/** Returns a line with the title of a thing, and below it a line for each of its fields. Truncates texts that are too long for a line. */
export function* fieldsOf(title: string, fields: Readonly<Record<string, string | number>>): Generator<string> {
  yield fitted(title, LINE_COLUMNS);
  const width = Math.max(...Object.keys(fields).map(columnsOf));
  for (const [label, value] of Object.entries(fields)) {
    const start = `  ${label.padEnd(width)}  `;
    yield `${start}${fitted(String(value), LINE_COLUMNS - start.length)}`.trimEnd();
  }
}

/** Narrows the last column of texts, down to `LAST_COLUMN`, and then the widest ones until a line fits. */
function narrowed(widths: readonly number[], isNumeric: readonly boolean[]): number[] {
  const fitting = [...widths];
  const texts = fitting.flatMap((_, column) => (isNumeric[column] ? [] : [column]));
  const excess = () => fitting.reduce((sum, width) => sum + width + GAP.length, -GAP.length) - LINE_COLUMNS;
  const last = texts.at(-1);
  if (last !== undefined) fitting[last] = Math.min(fitting[last]!, Math.max(LAST_COLUMN, fitting[last]! - excess()));
  while (texts.length > 0 && excess() > 0) {
    const widest = texts.reduce((a, b) => (fitting[b]! > fitting[a]! ? b : a));
    if (fitting[widest]! <= 1) break;
    fitting[widest]!--;
  }
  return fitting;
}
