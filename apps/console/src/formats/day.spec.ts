import { expect, it } from 'vitest';
import { dayOf, endOfDay, startOfDay } from './day.js';

it('a day begins at midnight and ends a second before the next', () => {
  const start = startOfDay('2026-11-30')!;
  expect(new Date(start).getHours()).toBe(0);
  expect(Date.parse(startOfDay('2026-11-30', 1)!) - Date.parse(endOfDay('2026-11-30')!)).toBe(1_000);
});

it.each(['2026-01-01', '2026-02-28', '2028-02-29', '0002-03-04'])('the times of %s are on this day', (day) => {
  expect([startOfDay(day)!, endOfDay(day)!].map(dayOf)).toEqual([day, day]);
});

it('the last day of a month is followed by the first of the next', () => {
  expect(dayOf(startOfDay('2026-12-31', 1)!)).toBe('2027-01-01');
});

it.each(['', 'today', '2026-13-01', '2026-11', '+022026-11-30'])('"%s" is no day', (text) => {
  expect([startOfDay(text), endOfDay(text)]).toEqual([undefined, undefined]);
});
