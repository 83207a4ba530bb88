// The parts of an expression. A part that is not closed takes the rest, so that no text is read twice.
const LITERAL = String.raw`\\Q(?<literal>.*?)(?:\\E|$)`;
const UNICODE_CLASS = String.raw`\\[pP](?:\{[^}]*(?:\}|$)|.)`;
const CHARACTER = String.raw`(?:\\x\{[^}]*(?:\}|$)|\\.|[^\]\\])`;
const RANGE_END = `(?:-${CHARACTER})?`;
const CLASS_ITEM = String.raw`\[:\^?\w+:\]|${UNICODE_CLASS}|\\[dswDSW]|${CHARACTER}${RANGE_END}`;
const CLASS = String.raw`\[\^?(?:\]${RANGE_END})?(?:${CLASS_ITEM})*(?:\]|\\?$)`;
const FLAGS = String.raw`(?<flags>\(\?[imsU-]*\))`;
const BEGIN = String.raw`(?<begin>\((?:\?P?<\w*>|\?[imsU-]*:)?)`;
const COUNT = String.raw`\{(?<least>\d{1,4})(?:,(?<most>\d{0,4}))?\}`;
const PART = new RegExp(
  `${LITERAL}|${UNICODE_CLASS}|${CLASS}|${FLAGS}|${BEGIN}|(?<end>\\))|${COUNT}|(?<suffix>[*+?])|${CHARACTER}|.`,
  'gsu',
);

type Group = { size: number; last: number };

/**
 * Estimates the number of instructions of an expression of RE2 without compiling it: each character counts once for each repetition, and
 * each group twice. A compiler needs at most four times as many, and fewer only if it merges alternatives. Takes linear time.
 */
export function estimatedSizeOf(expression: string): number {
  /** The sizes of the open groups, the outermost first, and of the last part of each. */
  const groups: Group[] = [{ size: 0, last: 0 }];
  for (const { groups: part } of expression.matchAll(PART)) {
    const { literal, flags, begin, end, least, most, suffix } = part!;
    const group = groups.at(-1)!;
    if (literal !== undefined) for (const _ of literal) add(group, 1);
    else if (begin) groups.push({ size: 2, last: 0 });
    else if (end && groups.length > 1) add(groups.at(-2)!, groups.pop()!.size);
    else if (least) repeat(group, Math.max(1, Number(least), Number(most ?? least)));
    else if (suffix) extend(group);
    else if (!flags) add(group, 1);
  }
  return groups.reduce((sum, { size }) => sum + size, 0);
}

function add(group: Group, size: number): void {
  group.last = size;
  group.size += size;
}

function repeat(group: Group, times: number): void {
  group.size += group.last * (times - 1);
  group.last *= times;
}

function extend(group: Group): void {
  group.last += 1;
  group.size += 1;
}
