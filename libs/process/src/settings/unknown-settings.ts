import type { Environment } from './read-settings.js';
import * as groups from './settings.js';

const PREFIX = 'KEYFOLD_';
/** A name with more edits than these is not a typo. */
const MAX_EDITS = 3;

/** The settings of all processes, because shells and compose files give every process the same environment. */
const settings = Object.values(groups).flatMap((group) => Object.keys(group));
const known = settings.flatMap((name) => [name, `${name}_FILE`]).filter((name) => name.startsWith(PREFIX));

/**
 * Returns a warning for each unknown variable with the prefix of settings, with a suggestion if a known setting is similar. Empty
 * variables count as not set. Warnings contain no values, which may be secrets.
 */
export const unknownSettings = (environment: Environment): string[] =>
  Object.entries(environment)
    .filter(([name, value]) => name.startsWith(PREFIX) && value && !known.includes(name) && !isServiceLink(name, value))
    .map(([name]) => {
      const meant = nearestTo(name);
      return `${name} is not a setting${meant === undefined ? '' : `. Did you mean ${meant}?`}`;
    });

/** Kubernetes and Docker links set variables such as `KEYFOLD_PORT_5244_TCP` for a service called `keyfold`. */
const isServiceLink = (name: string, value: string) =>
  /_SERVICE_(?:HOST|PORT(?:_\w+)?)$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/.test(name) ||
  /^(?:tcp|udp|sctp):\/\//.test(value);

function nearestTo(name: string): string | undefined {
  const limit = Math.min(MAX_EDITS, Math.ceil((name.length - PREFIX.length) / 2) - 1);
  const distances = known.map((each) => ({ name: each, edits: editsBetween(name, each) }));
  return distances.filter(({ edits }) => edits <= limit).toSorted((one, other) => one.edits - other.edits)[0]?.name;
}

/** Returns the optimal string alignment distance: the number of letters to add, remove, replace or swap with a neighbour. */
function editsBetween(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Infinity;
  for (let row = 1; row <= one.length; row++) {
    rows[row] = [row];
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1];
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      rows[row]![column] = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (same ? 0 : 1),
        swapped ? at(row - 2, column - 2) + 1 : Infinity,
      );
    }
  }
  return at(one.length, other.length);
}
