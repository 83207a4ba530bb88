/** Everything that is invisible, moves the cursor or changes the direction of the text. */
const UNPRINTABLE = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;
/** The same and the backslash of the escapes. */
const UNPRINTABLE_IN_TEXT = new RegExp(`${UNPRINTABLE.source}|\\\\`, 'gu');
/** The same without tabs and line breaks. */
const UNPRINTABLE_IN_OUTPUT = new RegExp(`(?![\\t\\n])${UNPRINTABLE.source}`, 'gu');
/** Characters that take two columns on a terminal (East Asian Width and emoji). */
const WIDE =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18aff}\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const CUT = '…';
/** Maximum columns of a name in a sentence. */
const NAME_COLUMNS = 40;

/** Escapes what a terminal would not show as it is, because users choose names and other texts. Uses the escapes of JSON. */
export const printable = (text: string): string => text.replaceAll(UNPRINTABLE_IN_TEXT, escaped);

/** Escapes the same in output that may have several lines. Keeps backslashes, so that JSON stays valid. */
export const printableOutput = (line: string): string => line.replaceAll(UNPRINTABLE_IN_OUTPUT, escaped);

/** Returns the columns that a printable text takes on a terminal. A combining mark counts one, although most terminals need none. */
export const columnsOf = (text: string): number =>
  [...text].reduce((sum, letter) => sum + (WIDE.test(letter) ? 2 : 1), 0);

/** Returns the text with escapes, truncated to at most `columns`. A truncated text ends in `…`. */
export function fitted(text: string, columns: number): string {
  // A character takes at least a column, and at most two units of its text.
  const shown = printable(text.slice(0, 2 * columns + 2));
  if (columnsOf(shown) <= columns && text.length <= 2 * columns + 2) return shown;
  let width = CUT.length;
  let kept = '';
  for (const letter of shown) {
    width += columnsOf(letter);
    if (width > columns) break;
    kept += letter;
  }
  return kept + CUT;
}

/** Returns a name for use in a sentence: with escapes, truncated and in quotes. */
export const quoted = (name: string): string => `"${fitted(name, NAME_COLUMNS).replaceAll('"', '\\"')}"`;

function escaped(character: string): string {
  const json = JSON.stringify(character).slice(1, -1);
  if (json !== character) return json;
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** Returns a count with its noun in the right form: `1 problem`, `0 problems`. `many` is an irregular plural. */
export const counted = (count: number, noun: string, many = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : many}`;
