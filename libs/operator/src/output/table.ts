type Row = readonly (string | number)[];

/** Lines of a table; columns with numbers are aligned on the right. */
export function* tableOf(head: Row, rows: readonly Row[], total: Row): Generator<string> {
  const all = [head, ...rows, total];
  const widths = head.map((_, column) => Math.max(...all.map((row) => String(row[column]).length)));
  const isNumeric = head.map((_, column) => all.some((row) => typeof row[column] === 'number'));
  const lineOf = (row: Row) =>
    row
      .map((cell, column) =>
        isNumeric[column] ? String(cell).padStart(widths[column] ?? 0) : String(cell).padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  for (const row of all) yield lineOf(row);
}
