import type { ActivityPlace } from '@keyfold/application';

/** Returns the opaque text by which a client asks for what comes after a place of the history. */
export const cursorOf = ({ at, key, index }: ActivityPlace): string =>
  Buffer.from(`${at}.${key}.${index}`).toString('base64url');

/** Returns the place of a cursor; undefined for a text that `cursorOf` does not return. */
export function placeOf(cursor: string): ActivityPlace | undefined {
  if (cursor.length > LONGEST) return undefined;
  const [, ...numbers] = /^(\d+)\.(\d+)\.(\d+)$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  const [at = -1, key = -1, index = -1] = numbers.map(Number);
  const place = { at, key, index };
  return Object.values(place).every(Number.isSafeInteger) && cursorOf(place) === cursor ? place : undefined;
}

/** Letters of the longest cursor: three safe integers. */
const LONGEST = 68;
