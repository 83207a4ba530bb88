import { expect, it } from 'vitest';
import { traceparentOf } from './commit.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

it.each([`00-${TRACE}-${PARENT}-01`, `00-${TRACE}-${PARENT}-00`, `cc-${TRACE}-${PARENT}-ff`])(
  'the trace context %s is taken',
  (given) => {
    expect(traceparentOf(given)).toBe(given);
  },
);

it.each([
  undefined,
  7,
  '',
  ['00', TRACE],
  `00-${TRACE}-${PARENT}`,
  `00-${TRACE}-${PARENT}-01-more`,
  `00-${TRACE}-${PARENT}-01\n`,
  `00-${TRACE.toUpperCase()}-${PARENT}-01`,
  `00-${'0'.repeat(32)}-${PARENT}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `ff-${TRACE}-${PARENT}-01`,
])('%j is no trace context', (given) => {
  expect(traceparentOf(given)).toBeUndefined();
});
