import type { Environment } from './read-settings.js';
import * as groups from './settings.js';

const PREFIX = 'KEYFOLD_';
/** More edits than these make another word of a name. */
const MOST_EDITS = 3;

/** Every setting of every process: shells and compose files give all processes the same environment. */
const settings = Object.values(groups).flatMap((group) => Object.keys(group));
const known = settings.flatMap((name) => [name, `${name}_FILE`]).filter((name) => name.startsWith(PREFIX));

/**
 * One sentence for each variable that looks like a setting and is none, with the setting that was probably meant. An empty variable
 * counts as not set. Values are not repeated, because they may be secrets.
 */
export const unknownSettings = (environment: Environment): string[] =>
  Object.entries(environment)
    .filter(([name, value]) => name.startsWith(PREFIX) && value && !known.includes(name) && !isServiceLink(name, value))
    .map(([name]) => {
      const meant = nearestTo(name);
      return `${name} is not a setting${meant === undefined ? '' : `. Did you mean ${meant}?`}`;
    });

/** Kubernetes and Docker links describe a service called `keyfold` by variables such as `KEYFOLD_PORT_5244_TCP`. */
const isServiceLink = (name: string, value: string) =>
  /_SERVICE_(?:HOST|PORT(?:_\w+)?)$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/.test(name) ||
  /^(?:tcp|udp|sctp):\/\//.test(value);

function nearestTo(name: string): string | undefined {
  const limit = Math.min(MOST_EDITS, Math.ceil((name.length - PREFIX.length) / 2) - 1);
  const distances = known.map((each) => ({ name: each, edits: editsBetween(name, each) }));
  return distances.filter(({ edits }) => edits <= limit).toSorted((one, other) => one.edits - other.edits)[0]?.name;
}

/** How many letters to add, remove, replace or swap with their neighbour (optimal string alignment distance). */
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
