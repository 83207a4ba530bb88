import type { ComponentChildren, Key } from 'preact';

type Column<Row> = Readonly<{ title: string; cell: (row: Row) => ComponentChildren; class?: string }>;
type TableProps<Row> = Readonly<{
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => Key;
  /** Shown instead of a table without rows: the next step. */
  empty: ComponentChildren;
}>;

/** A table whose rows become cards on narrow screens. The last column of most tables holds buttons and has no title. */
export function Table<Row>({ caption, columns, rows, keyOf, empty }: TableProps<Row>) {
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  return (
    <div class="table" role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, class: name }) => (
              <th key={title} scope="col" class={name}>
                {title || <span class="unseen">{'\u00a0'}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, cell, class: name }) => (
                <td key={title} class={name} data-title={title}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
