import { beforeEach, describe, expect, it } from 'vitest';
import { RepeatedLine } from './repeated-line.js';

let time: number;
let line: RepeatedLine;
let written: string[];
const log = (text: string) => line.write(text, (omitted) => written.push(`${text} ${omitted}`));

beforeEach(() => {
  time = 0;
  written = [];
  line = new RepeatedLine(() => time);
});

describe('a repeated line', () => {
  it('is written once in ten seconds, then with the number of omitted repetitions', () => {
    for (let n = 0; n < 100; n++) log('away');
    time = 9_999;
    log('away');
    expect(written).toEqual(['away 0']);
    time = 10_000;
    log('away');
    expect(written).toEqual(['away 0', 'away 100']);
  });

  it('is written once in another interval, if that is given', () => {
    line = new RepeatedLine(() => time, 60_000);
    for (time = 0; time < 60_000; time += 10_000) log('away');
    expect(written).toEqual(['away 0']);
    log('away');
    expect(written).toEqual(['away 0', 'away 5']);
  });

  it('does not suppress other lines', () => {
    for (const text of ['away', 'full', 'away', 'full']) log(text);
    expect(written).toEqual(['away 0', 'full 0']);
  });
});
