/**
 * Returns a regular expression for the JSON of a state in which the text of `field` contains `part`. The case of ASCII letters does not
 * matter. A quote within a text is escaped, so the name of the field cannot be part of another text.
 */
export function fieldPattern(field: string, part: string): string {
  const letters =
    JSON.stringify(part)
      .slice(1, -1)
      .match(/\\u[\da-f]{4}|\\.|[^]/gu) ?? [];
  return `"${field}":"(?:[^"\\\\]|\\\\.)*?${letters.map(letterPattern).join('')}`;
}

function letterPattern(letter: string): string {
  if (/^[a-z]$/i.test(letter)) return `[${letter.toLowerCase()}${letter.toUpperCase()}]`;
  return letter.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
