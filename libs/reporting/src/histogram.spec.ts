import { describe, expect, it } from 'vitest';
import { Histogram } from './histogram.js';

describe('a histogram', () => {
  it('counts a value in the first bucket whose bound is not less', () => {
    const histogram = new Histogram([1, 2.5, 10]);
    for (const value of [0, 1, 1.1, 2.5, 10, 10.1, 1_000]) histogram.observe(value);
    expect(histogram.counts).toEqual([2, 2, 1, 2]);
    expect(histogram.sum).toBeCloseTo(1_024.7);
  });

  it('starts empty', () => {
    expect(new Histogram([1, 2])).toMatchObject({ counts: [0, 0, 0], sum: 0 });
  });
});
