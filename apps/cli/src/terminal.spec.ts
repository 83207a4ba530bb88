import { expect, it } from 'vitest';
import { ProgressDisplay } from './terminal.js';

function shown(isTTY: boolean) {
  const written: string[] = [];
  let time = 0;
  const display = new ProgressDisplay({ isTTY, write: (text) => written.push(text) }, () => time);
  const reach = (done: number, total = 2_400, after = 0) => {
    time += after;
    display.show({ done, total, unit: 'commit' });
  };
  return { display, written, reach };
}

it('a terminal shows one bar that is redrawn in place and removed before another line', () => {
  const { display, written, reach } = shown(true);
  reach(600);
  reach(1_201);
  display.clear();
  display.clear();
  expect(written).toEqual([
    '\r\u001b[2K[#######-----------------------] 25 % of 2,400 commits',
    '\r\u001b[2K[###############---------------] 50 % of 2,400 commits',
    '\r\u001b[2K',
  ]);
});

it.each([
  [500, ''],
  [1_000, ', 2 s left'],
  [45_000, ', 90 s left'],
  [60_000, ', 2 min left'],
])('a terminal also shows the time left: after a third in %i ms "%s"', (ms, left) => {
  const { written, reach } = shown(true);
  reach(0);
  reach(800, 2_400, ms);
  expect(written[1]).toBe(`\r\u001b[2K[##########--------------------] 33 % of 2,400 commits${left}`);
});

it('each step of a command has a progress of its own', () => {
  const { written, reach } = shown(false);
  for (const done of [2_400, 240, 1_200]) reach(done);
  expect(written).toEqual(['100 % of 2,400 commits\n', '10 % of 2,400 commits\n', '50 % of 2,400 commits\n']);
});

it('a pipe receives a plain line for each tenth', () => {
  const { display, written, reach } = shown(false);
  for (let done = 0; done <= 2_400; done += 50) reach(done);
  display.clear();
  expect(written).toHaveLength(10);
  expect(written[0]).toBe('10 % of 2,400 commits\n');
  expect(written[9]).toBe('100 % of 2,400 commits\n');
});

it('an empty feed is complete', () => {
  const { written, reach } = shown(false);
  reach(0, 0);
  expect(written).toEqual(['100 % of 0 commits\n']);
});

it('a single commit is in the singular', () => {
  const { written, reach } = shown(false);
  reach(1, 1);
  expect(written).toEqual(['100 % of 1 commit\n']);
});
