/** Returns a count with its noun in the right form: `1 problem`, `0 problems`. `many` is an irregular plural. */
export const counted = (count: number, noun: string, many = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : many}`;
