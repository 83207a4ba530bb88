const { KEYFOLD_TEST_LENGTH, KEYFOLD_TEST_SEED } = process.env;

/** How long the tests of faults and races run, as a multiple of their length in `npm test`. */
const LENGTH = Number(KEYFOLD_TEST_LENGTH ?? 1);

/** Whether this is a long run, for example by `npm run test:long`. */
export const IS_LONG = LENGTH > 1;

/** Returns how often to repeat something that `npm test` repeats `count` times. */
export const timesLength = (count: number): number => Math.ceil(count * LENGTH);

/** Seed of the times and choices of a test: new in each long run, constant otherwise. Titles and output name it. */
export const SEED = Number(KEYFOLD_TEST_SEED ?? (IS_LONG ? Date.now() % 1_000_000 : 1));
