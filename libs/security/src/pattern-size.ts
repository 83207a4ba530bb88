/** Parts of an expression: an escape, a class, the beginning or end of a group, a count, or any other character. */
const PART =
  /\\[pPx]\{[^}]*\}|\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|\((?:\?[^:)>]*[:>])?|\)|\{(\d{1,4})(?:,(\d{0,4}))?\}|./gsu;

/**
 * Estimates the number of instructions of an expression of RE2 without compiling it: each character counts once for each repetition. A
 * compiler needs at most four times as many, and fewer only if it merges alternatives. Linear in the length of the expression.
 */
export function estimatedSizeOf(expression: string): number {
  /** The sizes of the open groups, the outermost first, and of the last part of each. */
  const groups = [{ size: 0, last: 0 }];
  for (const [part, least, most] of expression.matchAll(PART)) {
    const group = groups.at(-1)!;
    if (part.startsWith('(')) groups.push({ size: 0, last: 0 });
    else if (part === ')' && groups.length > 1) add(groups.at(-2)!, groups.pop()!.size);
    else if (least !== undefined) repeat(group, Math.max(Number(least), Number(most ?? least)));
    else add(group, 1);
  }
  return groups.reduce((sum, { size }) => sum + size, 0);
}

function add(group: { size: number; last: number }, size: number): void {
  group.last = size;
  group.size += size;
}

function repeat(group: { size: number; last: number }, times: number): void {
  group.size += group.last * (times - 1);
  group.last *= times;
}
