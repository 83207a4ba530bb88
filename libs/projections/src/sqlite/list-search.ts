import type { SqliteConnection } from '@keyfold/event-store/sqlite';
import type { ListSelection } from '../read-model-store.js';
import { foldCase } from '../read-model.js';

/** Entries that are compared in one iteration of the event loop. They take about a millisecond. */
const COMPARED = 1_000;

const { MIN_SAFE_INTEGER, MAX_SAFE_INTEGER } = Number;

/**
 * Yields the places of a list's matching entries in its order. Each read is work for one iteration of the event loop. The index of the
 * list contains the texts, so no state is read.
 */
export function* selectedPlaces(
  file: SqliteConnection,
  table: string,
  { search, descending }: Required<ListSelection>,
): Generator<readonly number[]> {
  const [beyond, order, edge] = descending ? ['<', 'DESC', 'min'] : ['>', 'ASC', 'max'];
  const piece = `SELECT ${edge}(place) AS edge FROM
    (SELECT place FROM ${table} WHERE place ${beyond} ? ORDER BY place ${order} LIMIT ${COMPARED})`;
  const matching = `SELECT place FROM ${table}
    WHERE place >= ? AND place <= ? AND instr(text, ?) > 0 ORDER BY place ${order}`;
  let last = descending ? MAX_SAFE_INTEGER : MIN_SAFE_INTEGER;
  for (;;) {
    const end = file.read(piece, last)[0]!['edge'];
    if (end === null) return;
    const range = descending ? [Number(end), last - 1] : [last + 1, Number(end)];
    yield file.read(matching, ...range, foldCase(search)).map(({ place }) => Number(place));
    last = Number(end);
  }
}
