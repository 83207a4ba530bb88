import { columnsOf, fitted } from './printable.js';
import { LINE_COLUMNS } from './table.js';

/** Returns a line with the title of a thing, and below it a line for each of its fields. Truncates texts that are too long for a line. */
export function* fieldsOf(title: string, fields: Readonly<Record<string, string | number>>): Generator<string> {
  yield fitted(title, LINE_COLUMNS);
  const width = Math.max(...Object.keys(fields).map(columnsOf));
  for (const [label, value] of Object.entries(fields)) {
    const start = `  ${label.padEnd(width)}  `;
    yield `${start}${fitted(String(value), LINE_COLUMNS - start.length)}`.trimEnd();
  }
}
