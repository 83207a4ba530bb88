import { beforeEach, describe, expect, it } from 'vitest';
import { RepeatedLine } from './repeated-line.js';

let time: number;
let line: RepeatedLine;
let written: string[];
const tell = (text: string) => line.tell(text, (untold) => written.push(`${text} ${untold}`));

beforeEach(() => {
  time = 0;
  written = [];
  line = new RepeatedLine(() => time);
});

describe('a line that many requests lead to', () => {
  it('is written once in ten seconds, then with the number of those that were left out', () => {
    for (let n = 0; n < 100; n++) tell('away');
    time = 9_999;
    tell('away');
    expect(written).toEqual(['away 0']);
    time = 10_000;
    tell('away');
    expect(written).toEqual(['away 0', 'away 100']);
  });

  it('does not hide another one', () => {
    for (const text of ['away', 'full', 'away', 'full']) tell(text);
    expect(written).toEqual(['away 0', 'full 0']);
  });
});
